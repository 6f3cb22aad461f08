"""Routes of access tokens: made with their text shown once, listed without it, revoked."""

from datetime import datetime
from typing import Annotated

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, SkipValidation
from msgspec import Struct

from adapters.http.api import Api
from adapters.http.problems import accepted
from domain.access_token import AccessToken
from domain.identity import TokenId, WorkspaceId
from domain.principal import Principal
from pipelines.keep_access_tokens import Issued

__all__ = ("AccessTokens",)

PAGE = 100
"""Rows of a list at most; `after` continues behind the last id."""


class NewToken(Struct, frozen=True, forbid_unknown_fields=True):
    """`scopes`: `read`, `write` or both; `expires_in_days`: from 1 to 365.

    `workspace_ids`: from 1 to 32 that it is limited to; absent, it opens all that its user has.
    """

    name: str
    scopes: list[str]
    expires_in_days: int
    workspace_ids: list[str] | None = None


class TokenBody(Struct, frozen=True):
    id: str
    name: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime
    workspace_ids: list[str] | None

    @classmethod
    def of(cls, token: AccessToken) -> "TokenBody":
        limits = None if token.workspaces is None else [*map(str, sorted(token.workspaces))]
        return cls(
            token.id,
            token.name,
            sorted(token.scopes),
            token.created_at,
            token.expires_at,
            limits,
        )


class IssuedBody(Struct, frozen=True):
    """`value` is the token's text; no later answer has it."""

    token: TokenBody
    value: str

    @classmethod
    def of(cls, issued: Issued) -> "IssuedBody":
        return cls(TokenBody.of(issued.token), issued.shown.reveal())


class AccessTokens(Controller):
    path = "/api/v1/tokens"
    tags = ("tokens",)

    @post()
    async def create(
        self,
        data: JSONBody[NewToken],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> IssuedBody:
        limits = data.workspace_ids
        issued = await api.access_tokens.create(
            principal,
            data.name,
            data.scopes,
            data.expires_in_days,
            None if limits is None else [*map(WorkspaceId, limits)],
        )
        return IssuedBody.of(accepted(issued))

    @get()
    async def list_all(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=PAGE)] = PAGE,
    ) -> list[TokenBody]:
        page = accepted(await api.access_tokens.page(principal, after, limit))
        return [TokenBody.of(each) for each in page]

    @delete("/{token_id:str}")
    async def revoke(
        self,
        token_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        accepted(await api.access_tokens.revoke(principal, TokenId(token_id)))
