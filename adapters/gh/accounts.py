"""The token of a named `gh` account, asked for on demand and kept in memory for five minutes.

`gh auth token --hostname HOST --user LOGIN` answers for exactly that account, whichever is active.
What was kept is dropped at once when the connection's revision changes.
"""

import asyncio
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from typing_extensions import override

from domain.ambient_credentials import AMBIENT_TOKENS
from domain.connection import Connection, check_secret
from domain.identity import ConnectionId
from domain.outcome import Failure, Result, Success, failed
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.clock import Clock
from ports.credential_source import CredentialSource, NoCredential, SourcedCredential, SourceFault
from ports.processes import Processes

__all__ = ("KEPT_SECONDS", "MAX_ACCOUNTS", "GhAccounts")

KEPT_SECONDS: Final = 300.0
"""How long a token is used again without asking `gh`."""
MAX_ACCOUNTS: Final = 256
"""Accounts whose token is kept at once; the one asked for longest ago goes first."""
ANSWER_SECONDS: Final = 15.0
"""How long `gh` may take; a keyring may ask its user."""

_END_SECONDS: Final = 2.0
_QUIET: Final = {"GH_NO_UPDATE_NOTIFIER": "1", "GH_PROMPT_DISABLED": "1", "NO_COLOR": "1"}


@dataclass(slots=True)
class _Account:
    flight: asyncio.Lock = field(default_factory=asyncio.Lock)
    revision: int = -1
    until: float = 0.0
    token: Secret | None = None


class GhAccounts(CredentialSource):
    """`environment` is the host's: `gh` needs its home, its configuration and its keyring."""

    def __init__(self, processes: Processes, clock: Clock, environment: Mapping[str, str]) -> None:
        self._processes = processes
        self._clock = clock
        ambient = {name: value for name, value in environment.items() if name not in AMBIENT_TOKENS}
        self._environment = ambient | _QUIET
        self._accounts: dict[ConnectionId, _Account] = {}

    @override
    async def __call__(
        self, connection: Connection, stored: Secret | None, identity: RepositoryIdentity
    ) -> Result[SourcedCredential, NoCredential]:
        account = self._account(connection.id)
        async with account.flight:
            if account.revision != connection.revision:
                account.revision, account.token = connection.revision, None
            if account.token is None or self._clock.monotonic() >= account.until:
                account.token = None
                asked = await self._ask(connection.host, connection.login or "")
                if failed(asked):
                    return asked
                account.token = asked.unwrap()
                account.until = self._clock.monotonic() + KEPT_SECONDS
            return Success(SourcedCredential(account.token))

    def _account(self, connection: ConnectionId) -> _Account:
        account = self._accounts.pop(connection, None) or _Account()
        self._accounts[connection] = account
        while len(self._accounts) > MAX_ACCOUNTS:
            del self._accounts[next(iter(self._accounts))]
        return account

    async def _ask(self, host: str, login: str) -> Result[Secret, NoCredential]:
        program = shutil.which("gh", path=self._environment.get("PATH", os.defpath))
        if program is None:
            return Failure(NoCredential(SourceFault.TOOL_MISSING))
        said = bytearray()
        command = [program, "auth", "token", "--hostname", host, "--user", login]
        started = await self._processes.start(
            command,
            directory="/",
            environment=self._environment,
            on_stdout=said.extend,
            on_stderr=lambda _: None,
        )
        if failed(started):
            return Failure(NoCredential(SourceFault.TOOL_MISSING))
        child = started.unwrap()
        ended = None
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                child.close_stdin()
                ended = await child.wait()
        except TimeoutError:
            return Failure(NoCredential(SourceFault.UNREACHABLE))
        finally:
            if ended is None:
                await child.stop(polite=0, terminate=_END_SECONDS, kill=_END_SECONDS)
        token = check_secret(Secret(said.decode("utf-8", "replace").removesuffix("\n")))
        if ended.status != 0 or failed(token):
            return Failure(NoCredential(SourceFault.SIGNED_OUT, f"{login} at {host}"))
        return Success(token.unwrap())
