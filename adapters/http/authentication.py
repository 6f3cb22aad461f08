"""Routes of signing in: claim the home, sign in and out, see where, change the password.

A browser is let in by a cookie that no script reads (`HttpOnly`) and no other site sends
(`SameSite=Strict`).
"""

from datetime import datetime
from typing import Any

from litestar import Controller, Request, Response, delete, get, post, put
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, SkipValidation
from msgspec import Struct

from adapters.http.api import Api
from adapters.http.door import ADDRESS, SECURE, SIGN_IN
from adapters.http.problems import accepted
from adapters.http.shapes import AccountBody
from domain.identity import SignInId
from domain.principal import Principal
from domain.secret import Secret
from domain.sign_in import SIGN_IN_LIFE, SignIn, cookie_name
from pipelines.claim_home import NewAccount
from pipelines.open_sign_in import SignedIn

__all__ = ("Authentication", "Wanted", "address_of", "agent_of", "signed_in")

Asking = Request[Any, Any, Any]


class Wanted(Struct, frozen=True, forbid_unknown_fields=True):
    email: str
    password: str
    name: str

    def account(self) -> NewAccount:
        return NewAccount(self.email, Secret(self.password), self.name)


class Claim(Wanted, frozen=True):
    """`code` is on the console of the server."""

    code: str


class Credentials(Struct, frozen=True, forbid_unknown_fields=True):
    email: str
    password: str


class NewPassword(Struct, frozen=True, forbid_unknown_fields=True):
    current: str
    new: str


class SignInBody(Struct, frozen=True):
    """`agent` is what the browser called itself; `current`: the one that asks."""

    id: str
    agent: str
    created_at: datetime
    seen_at: datetime
    current: bool

    @classmethod
    def of(cls, sign_in: SignIn, current: SignInId | None) -> "SignInBody":
        return cls(
            sign_in.id,
            sign_in.agent,
            sign_in.created_at,
            sign_in.seen_at,
            sign_in.id == current,
        )


class Authentication(Controller):
    path = "/api/v1/auth"
    tags = ("accounts",)

    @post("/setup", security=[{}])
    async def claim(
        self, data: JSONBody[Claim], api: NamedDependency[Api], request: Asking
    ) -> Response[AccountBody]:
        """Make the first account, the home's owner, with the code of the server's console."""
        done = await api.claim(
            Secret(data.code), data.account(), address_of(request), agent_of(request)
        )
        return signed_in(request, accepted(done), 201)

    @post("/login", security=[{}], status_code=200)
    async def sign_in(
        self, data: JSONBody[Credentials], api: NamedDependency[Api], request: Asking
    ) -> Response[AccountBody]:
        done = await api.authenticate(
            data.email, Secret(data.password), address_of(request), agent_of(request)
        )
        return signed_in(request, accepted(done), 200)

    @post("/logout", status_code=204)
    async def sign_out(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        request: Asking,
    ) -> Response[None]:
        accepted(await api.sign_ins.end(principal, current_of(request) or SignInId("")))
        gone = Response(None, status_code=204)
        gone.delete_cookie(cookie_name(request.headers["host"]))
        return gone

    @get("/me")
    async def me(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> AccountBody:
        """The account that is signed in."""
        return AccountBody.of(accepted(await api.sign_ins.me(principal)))

    @put("/password", status_code=204)
    async def change_password(
        self,
        data: JSONBody[NewPassword],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        request: Asking,
    ) -> None:
        """Wherever else the account is signed in, that ends; its access tokens stay."""
        changed = await api.sign_ins.change_password(
            principal,
            Secret(data.current),
            Secret(data.new),
            current_of(request),
            address_of(request),
        )
        accepted(changed)

    @get("/sessions")
    async def sessions(
        self,
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        request: Asking,
    ) -> list[SignInBody]:
        """Where the account is signed in."""
        found = accepted(await api.sign_ins.all(principal))
        return [SignInBody.of(each, current_of(request)) for each in found]

    @delete("/sessions/{sign_in_id:str}")
    async def end(
        self,
        sign_in_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> None:
        accepted(await api.sign_ins.end(principal, SignInId(sign_in_id)))


def signed_in(request: Asking, done: SignedIn, status: int) -> Response[AccountBody]:
    """The account, with the cookie of the browser; no answer's body has that."""
    cookie = Cookie(
        key=cookie_name(request.headers["host"]),
        value=done.cookie.reveal(),
        path="/",
        max_age=int(SIGN_IN_LIFE.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=bool(request.scope["state"][SECURE]),
    )
    return Response(AccountBody.of(done.account), status_code=status, cookies=[cookie])


def address_of(request: Asking) -> str:
    return str(request.scope["state"][ADDRESS])


def agent_of(request: Asking) -> str:
    return str(request.headers.get("user-agent", ""))


def current_of(request: Asking) -> SignInId | None:
    found: SignInId | None = request.scope["state"].get(SIGN_IN)
    return found
