"""Opens the socket of each managed instance, under an unguessable name in a private directory.

The name begins with pid and start time of its agentctl, so that the next one knows an orphan.
"""

import errno
import os
import re
import secrets
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from adapters.agentctl import process_stat
from adapters.agentctl.server.git_socket import GitSocket, Surroundings
from adapters.agentctl.server.instance_sockets import Opened
from adapters.agentctl.server.tools.directory import ManagedTools
from adapters.agentctl.wire import Lease
from domain import broker_contract
from domain.broker_contract import BrokerContract, GitScope
from domain.execution import Handle
from domain.identity import RepositoryId

__all__ = ("GitSockets", "OpenGitSocket", "bind")

_BACKLOG: Final = 128
_RANDOM_BYTES: Final = 8
_NAME: Final = re.compile(r"([1-9][0-9]*)-([0-9]+)-[0-9a-f]{16}\.git\.sock")


def bind(path: Path) -> socket.socket:
    """A listening unix socket at `path`, 0600 from its first moment. Raises `OSError`."""
    if len(os.fsencode(path)) > broker_contract.MAX_SOCKET_BYTES:
        reason = f"the path of a socket has at most {broker_contract.MAX_SOCKET_BYTES} bytes"
        raise OSError(errno.ENAMETOOLONG, reason, str(path))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # Linux gives the name the mode of the descriptor when it is bound; nobody connects before
        # it listens.
        os.fchmod(listener.fileno(), 0o600)
        listener.bind(os.fspath(path))
    except OSError:
        listener.close()
        raise
    try:
        path.chmod(0o600)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        path.unlink(missing_ok=True)
        raise
    return listener


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
        for path in self.directory.iterdir():
            name = _NAME.fullmatch(path.name)
            if name and not process_stat.is_running(int(name[1]), int(name[2])):
                path.unlink(missing_ok=True)
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
        pid, started = process_stat.ourselves()
        path = self.directory / f"{pid}-{started}-{secrets.token_hex(_RANDOM_BYTES)}.git.sock"
        served = GitSocket(handle.execution, self.around)
        listener = bind(path)
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
