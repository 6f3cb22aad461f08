"""Sockets of instances that only count who opened and closed them."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from adapters.agentctl.server.instance_sockets import Opened
from adapters.agentctl.wire import Lease
from domain.execution import Handle
from domain.mcp_server import OUR_NAME, GivenMcpServer, McpTransport


class FakeOpen:
    def __init__(self, opened: Opened, parent: "FakeSockets") -> None:
        self.opened = opened
        self.admitted: tuple[int, int] | None = None
        self.given: Callable[[float], Awaitable[None]] | None = None
        self._parent = parent
        self._path = Path(opened.variables["KANDEV_BROKER_SOCKET"])

    def admit(self, pid: int, started: int) -> None:
        self.admitted = (pid, started)

    def after_giving(self, call: Callable[[float], Awaitable[None]]) -> None:
        self.given = call

    async def close(self) -> None:
        self._path.unlink()
        self._parent.held.remove(self)


class FakeSockets:
    """`held` are the ones that were not closed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.held: list[FakeOpen] = []
        self.leases: Sequence[Lease] = ()
        self.refuses: OSError | None = None

    async def open(self, handle: Handle, leases: Sequence[Lease]) -> FakeOpen:
        if self.refuses is not None:
            raise self.refuses
        self.leases = leases
        socket = self._directory / f"{handle.execution}.sock"
        socket.touch()
        tools = self._directory / "tools"
        variables = {
            "KANDEV_BROKER_SOCKET": str(socket),
            "KANDEV_GIT_SCOPES": '[{"repository_id":"r1","host":"h","path":"/p"}]',
            "KANDEV_TOOLS_DIR": str(tools),
        }
        helper = str(tools / "git-credential-kandev")
        opened = FakeOpen(Opened(variables, str(tools), helper), self)
        self.held.append(opened)
        return opened


class FakeOpenTools:
    def __init__(self, path: Path) -> None:
        self.server = GivenMcpServer(
            OUR_NAME, McpTransport.STDIO, "/bin/false", (str(path),), {}, "", {}
        )
        self._path = path

    def admit(self, pid: int, started: int) -> None:
        pass

    async def close(self) -> None:
        self._path.unlink()


class FakeToolSockets:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    async def open(self, handle: Handle) -> FakeOpenTools:
        path = self._directory / f"{handle.execution}.mcp.sock"
        path.touch()
        return FakeOpenTools(path)
