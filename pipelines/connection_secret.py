"""Open a connection's secret for the one use that needs it, and keep it for seconds at most.

What is kept is bound to the connection's revision: another revision never finds it.
"""

from dataclasses import dataclass, field
from typing import Final

from domain import github_app
from domain.connection import Connection, Kind
from domain.identity import ConnectionId
from domain.outcome import Failure, Result, Success, failed
from domain.secret import Secret
from ports.clock import Clock
from ports.redactor import Redactor
from ports.store import Reader
from ports.vault import Vault, connection_place

__all__ = ("KEPT_SECONDS", "MAX_KEPT", "ConnectionSecrets", "SecretUnavailable")

KEPT_SECONDS: Final = 5.0
"""How long an opened secret may be used again without opening it anew."""
MAX_KEPT: Final = 256
"""Opened secrets kept at once."""


@dataclass(frozen=True, slots=True)
class SecretUnavailable:
    """The secret is not stored, as of a `gh` account, or the installation's key opens it not."""

    connection: ConnectionId


@dataclass(frozen=True, slots=True)
class ConnectionSecrets:
    vault: Vault
    redactor: Redactor
    clock: Clock
    _kept: dict[tuple[ConnectionId, int], tuple[float, Secret]] = field(
        default_factory=dict, repr=False
    )

    async def __call__(
        self, state: Reader, connection: Connection
    ) -> Result[Secret, SecretUnavailable]:
        if connection.kind is Kind.GH_CLI:
            return Failure(SecretUnavailable(connection.id))
        key = (connection.id, connection.revision)
        now = self.clock.monotonic()
        kept = self._kept.get(key)
        if kept is not None and now < kept[0]:
            return Success(kept[1])
        sealed = await state.connection_secret(connection.id)
        if sealed is None:
            return Failure(SecretUnavailable(connection.id))
        opened = self.vault.open(connection_place(connection.id, connection.workspace), sealed)
        if failed(opened):
            return Failure(SecretUnavailable(connection.id))
        secret = opened.unwrap()
        app = github_app.unpack(secret) if connection.kind is Kind.GITHUB_APP else None
        for part in github_app.parts(app[0]) if app else (secret,):
            self.redactor.register(part)
        self._keep(key, now, secret)
        return Success(secret)

    def _keep(self, key: tuple[ConnectionId, int], now: float, secret: Secret) -> None:
        for old in [old for old, (until, _) in self._kept.items() if until <= now]:
            del self._kept[old]
        if len(self._kept) < MAX_KEPT:
            self._kept[key] = (now + KEPT_SECONDS, secret)
