"""Where a credential comes from, as a test wants it: what is asked, and what happens meanwhile."""

from collections.abc import Awaitable, Callable

from typing_extensions import override

from domain.connection import Connection
from domain.outcome import Failure, Result, Success
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.credential_source import CredentialSource, NoCredential, SourcedCredential, SourceFault

__all__ = ("FakeSource",)


class FakeSource(CredentialSource):
    """Gives `given`; `meanwhile` runs while it is asked, `asked` are the revisions it saw."""

    def __init__(self) -> None:
        self.given: SourcedCredential | SourceFault = SourcedCredential(Secret("minted-0123456789"))
        self.meanwhile: Callable[[], Awaitable[None]] | None = None
        self.asked: list[int] = []

    @override
    async def __call__(
        self, connection: Connection, stored: Secret | None, identity: RepositoryIdentity
    ) -> Result[SourcedCredential, NoCredential]:
        self.asked.append(connection.revision)
        if self.meanwhile is not None:
            await self.meanwhile()
        if isinstance(self.given, SourceFault):
            return Failure(NoCredential(self.given))
        return Success(self.given)
