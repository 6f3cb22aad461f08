"""Opens the socket of each managed instance, under an unguessable name in a private directory."""

import os
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.agentctl.server.git_socket import Ask, GitSocket, Lineage
from adapters.agentctl.server.instance_sockets import Opened
from adapters.agentctl.server.tools.directory import Tools
from adapters.agentctl.wire import Lease
from domain import broker_contract
from domain.broker_contract import BrokerContract, GitScope
from domain.execution import Handle
from domain.identity import RepositoryId
from ports.redactor import Redactor

__all__ = ("GitSockets", "OpenGitSocket", "bind")

_BACKLOG: Final = 128


def bind(path: Path) -> socket.socket:
    """A listening unix socket at `path`, 0600 from its first moment. Raises `OSError`."""
    if len(os.fsencode(path)) > broker_contract.MAX_SOCKET_BYTES:
        raise OSError(f"the path of the socket is over {broker_contract.MAX_SOCKET_BYTES} bytes")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # The mode of a socket is that of its descriptor when it is bound (unix(7)).
        os.fchmod(listener.fileno(), 0o600)
        listener.bind(os.fspath(path))
        path.chmod(0o600)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


@dataclass(slots=True)
class OpenGitSocket:
    """The open socket of one instance."""

    opened: Opened
    path: Path
    served: GitSocket

    def admit(self, pid: int, started: int) -> None:
        self.served.lineage = Lineage(pid, started, process_of)

    async def close(self) -> None:
        self.path.unlink(missing_ok=True)
        await self.served.close()


@dataclass(frozen=True, slots=True)
class GitSockets:
    """`directory` is private to agentctl and exists."""

    directory: Path
    tools: Tools
    ask: Ask
    redactor: Redactor

    async def open(self, handle: Handle, leases: Sequence[Lease]) -> OpenGitSocket:
        """Listen for one instance. Raises `OSError`; then nothing is left open."""
        self.tools.mend()
        path = self.directory / f"{secrets.token_hex(8)}.git.sock"
        listener = bind(path)
        served = GitSocket(
            handle, listener, Lineage(*ourselves(), process_of), self.ask, self.redactor
        )
        try:
            await served.start(leases)
        except BaseException:
            listener.close()
            path.unlink(missing_ok=True)
            raise
        scopes = tuple(
            GitScope(RepositoryId(each.repository), each.host, each.path) for each in leases
        )
        contract = BrokerContract(str(path), str(self.tools.directory), scopes)
        opened = Opened(
            broker_contract.write(contract), str(self.tools.directory), str(self.tools.helper)
        )
        return OpenGitSocket(opened, path, served)


def process_of(pid: int) -> tuple[int, int]:
    """Parent and start time of a process (proc(5), `stat` fields 4 and 22); zeros when ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return 0, 0
    fields = stat.rpartition(b")")[2].split()
    return int(fields[1]), int(fields[19])


def ourselves() -> tuple[int, int]:
    pid = os.getpid()
    return pid, process_of(pid)[1]
