"""Opens the socket for git of each managed instance."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from adapters.agentctl.server import listening
from adapters.agentctl.server.git_socket import GitSocket, Surroundings
from adapters.agentctl.server.instance_sockets import Opened
from adapters.agentctl.server.tools.directory import ManagedTools
from adapters.agentctl.wire import Lease
from domain import broker_contract
from domain.broker_contract import BrokerContract, GitScope
from domain.execution import Handle
from domain.identity import RepositoryId

__all__ = ("GitSockets", "OpenGitSocket")

KIND: Final = "git"


@dataclass(slots=True)
class OpenGitSocket:
    """The open socket of one instance."""

    handle: Handle
    opened: Opened
    around: Surroundings
    path: Path
    served: GitSocket

    def admit(self, pid: int, started: int) -> None:
        self.around.families.admit(self.handle.execution, pid, started)

    def after_giving(self, call: Callable[[float], Awaitable[None]]) -> None:
        self.served.after_giving = call

    async def close(self) -> None:
        self.path.unlink(missing_ok=True)
        await self.served.close()
        self.around.families.forget(self.handle.execution)


@dataclass(frozen=True, slots=True)
class GitSockets:
    """Inside `async with`. `directory` is private to the user and exists."""

    directory: Path
    tools: ManagedTools
    around: Surroundings

    async def __aenter__(self) -> Self:
        """Make the tools, and remove what earlier agentctls left. Raises `OSError`."""
        listening.sweep(self.directory, KIND)
        await self.tools.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.tools.__aexit__(kind, error, trace)

    async def open(self, handle: Handle, leases: Sequence[Lease]) -> OpenGitSocket:
        """Listen for one instance. Raises `OSError`; then nothing is left open."""
        self.tools.mend()
        path = listening.fresh(self.directory, KIND)
        served = GitSocket(handle.execution, self.around)
        listener = listening.bind(path)
        try:
            await served.start(listener, leases)
        except BaseException:
            listener.close()
            with suppress(OSError):
                path.unlink()
            raise
        return OpenGitSocket(handle, self._opened(path, leases), self.around, path, served)

    def _opened(self, path: Path, leases: Sequence[Lease]) -> Opened:
        tools = str(self.tools.directory)
        scopes = [GitScope(RepositoryId(each.repository), each.host, each.path) for each in leases]
        contract = BrokerContract(str(path), tools, tuple(scopes))
        return Opened(broker_contract.write(contract), tools, str(self.tools.helper))
