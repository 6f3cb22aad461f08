"""Access tokens, found by the digest of what a client shows."""

from collections.abc import Sequence

from sqlalchemy import delete, select

from adapters.sqlite.access_tables import AccessTokenRow
from adapters.sqlite.columns import from_text, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given, place
from adapters.sqlite.tables import table
from adapters.sqlite.unit import Unit
from domain.access_token import AccessToken, Scope
from domain.identity import TokenId, UserId, WorkspaceId

__all__ = ("AccessTokenReads", "AccessTokenWrites")

_TOKENS = table(AccessTokenRow)
_TOKEN = _TOKENS.c
_SHOWN = select(_TOKENS).where(_TOKEN.digest == given("digest"))
_PAGE = (
    select(_TOKENS)
    .where(_TOKEN.user_id == given("user"), _TOKEN.id > given("after"))
    .order_by(_TOKEN.id)
    .limit(given("limit"))
)
_ADD = place(AccessTokenRow)
_REMOVE = delete(_TOKENS).where(_TOKEN.id == given("id"), _TOKEN.user_id == given("user"))


class AccessTokenReads(Unit):
    __slots__ = ()

    async def access_token(self, digest: str) -> AccessToken | None:
        row = await self._on.one(_SHOWN, {"digest": digest})
        return None if row is None else _token(row)

    async def access_tokens(
        self, user: UserId, after: str | None, limit: int
    ) -> Sequence[AccessToken]:
        values = {"user": user, "after": after or "", "limit": limit}
        return [_token(row) for row in await self._on.rows(_PAGE, values)]


class AccessTokenWrites(AccessTokenReads):
    __slots__ = ()

    async def add_access_token(self, token: AccessToken) -> None:
        values = {
            "id": token.id,
            "user_id": token.user,
            "name": token.name,
            "digest": token.digest,
            "scopes": " ".join(sorted(token.scopes)),
            "created_at": to_text(token.created_at),
            "expires_at": to_text(token.expires_at),
            "workspaces": None if token.workspaces is None else " ".join(sorted(token.workspaces)),
        }
        await self._run(_ADD, values)

    async def remove_access_token(self, user: UserId, token: TokenId) -> bool:
        return await self._run(_REMOVE, {"id": token, "user": user}) == 1


def _token(row: Row) -> AccessToken:
    key, user, name, digest, scopes, created, expires, workspaces = row
    return AccessToken(
        TokenId(key),
        UserId(user),
        name,
        digest,
        frozenset(map(Scope, scopes.split())),
        from_text(created),
        from_text(expires),
        None if workspaces is None else frozenset(map(WorkspaceId, workspaces.split())),
    )
