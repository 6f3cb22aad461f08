"""A credential for one git command: on a private socket, for as long as the command runs.

The command finds a helper in its configuration that asks the socket through git's own compiled
client. The password is in no argument, variable, URL or file, and only the remote's own
repository is answered for.
"""

import asyncio
import os
import shlex
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, cast

from typing_extensions import override

from domain import git_credential
from domain.git_config import Entry
from domain.outcome import failed
from domain.repository import RepositoryIdentity
from domain.secret import Secret

__all__ = ("serve",)

_ANSWER_SECONDS: Final = 5.0
"""For a client to finish its question."""


@asynccontextmanager
async def serve(
    directory: Path, identity: RepositoryIdentity, username: str, password: Secret
) -> AsyncGenerator[tuple[Entry, ...]]:
    """Serve from `directory`, which only we may enter; the configuration that leads git there."""
    path = directory / "credential"
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(str(path))
        path.chmod(0o600)
        connections: set[_Connection] = set()
        server = await asyncio.get_running_loop().create_unix_server(
            lambda: _Connection(connections, identity, username, password), sock=listener
        )
    except BaseException:
        listener.close()
        raise
    try:
        yield _helper(path)
    finally:
        server.close()
        for connection in tuple(connections):
            connection.abort()
        await server.wait_closed()


def _helper(path: Path) -> tuple[Entry, ...]:
    """`store` and `erase` stay in the helper: git's client would start a daemon for the first."""
    ask = f"git credential-cache --socket={shlex.quote(os.fspath(path))} get"
    return (
        Entry("credential.helper", f'!f() {{ if test "$1" = get; then {ask}; fi; }}; f'),
        Entry("credential.useHttpPath", "true"),
    )


class _Connection(asyncio.Protocol):
    def __init__(
        self,
        open_ones: "set[_Connection]",
        identity: RepositoryIdentity,
        username: str,
        password: Secret,
    ) -> None:
        self._open = open_ones
        self._identity = identity
        self._username = username
        self._password = password
        self._asked = bytearray()
        self._transport: asyncio.Transport | None = None
        self._patience: asyncio.TimerHandle | None = None

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._open.add(self)
        self._patience = asyncio.get_running_loop().call_later(_ANSWER_SECONDS, self.abort)

    @override
    def data_received(self, data: bytes) -> None:
        self._asked += data
        if len(self._asked) > git_credential.MAX_REQUEST_BYTES:
            self.abort()

    @override
    def eof_received(self) -> bool:
        assert self._transport is not None
        self._transport.write(self._answer())
        self._transport.close()
        return True

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._open.discard(self)
        if self._patience is not None:
            self._patience.cancel()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _answer(self) -> bytes:
        parsed = git_credential.parse(bytes(self._asked))
        if failed(parsed):
            return git_credential.QUIT
        request = parsed.unwrap()
        if request.action is not git_credential.Action.GET:
            return b""
        if failed(git_credential.match(request, (self._identity,))):
            return git_credential.QUIT
        answered = git_credential.answer(request, self._username, self._password, None)
        return git_credential.QUIT if failed(answered) else answered.unwrap()
