"""The door of the server: Host, Origin and Fetch Metadata first, then who asks.

It stands before the whole application: what does not come in learns not even which routes there
are, and nothing of its body is read. Whom a token stands for, or the cookie of a browser that is
signed in, is the principal of the request; what it does not open stays shut, whichever route is
asked. A token counts before a cookie.
"""

from collections.abc import Collection, Iterable
from typing import Final

import msgspec
from litestar import Litestar
from litestar.enums import ScopeType
from litestar.types import (
    LifeSpanReceive,
    LifeSpanScope,
    LifeSpanSend,
    Message,
    Receive,
    Scope,
    Send,
)

from adapters.http.problem_details import MEDIA_TYPE, Details
from adapters.http.problems import store_details
from adapters.http.request_meter import RequestMeter
from adapters.http.revoked import UNAUTHORIZED, serve_until
from domain.access_token import HOME_TOKEN, Bearer, needed
from domain.http_door import Asked, Reason, admit, cookie, from_our_page
from domain.outcome import failed
from domain.principal import Token, User
from domain.public_address import FORWARDING, PublicUrl
from domain.sign_in import cookie_name
from ports.revocations import Held, Revocations
from ports.store import StoreUnavailable
from ports.tokens import Tokens

__all__ = ("ADDRESS", "PRINCIPAL", "SECURE", "SIGN_IN", "Door")

PRINCIPAL: Final = "kandev.principal"
"""Where the request's state holds its principal."""
SIGN_IN: Final = "kandev.sign_in"
"""Where it holds by which sign-in that one came; None for a token."""

ADDRESS: Final = "kandev.address"
"""Where it holds the client's address, as far as that is known."""
SECURE: Final = "kandev.secure"
"""Whether the client came by HTTPS, through the declared proxy."""

_HELD: Final = "kandev.held"

OPEN: Final = frozenset({
    ("GET", "/health"),
    ("HEAD", "/health"),
    ("POST", "/api/v1/auth/setup"),
    ("POST", "/api/v1/auth/login"),
    ("POST", "/api/v1/auth/invites/preview"),
    ("POST", "/api/v1/auth/invites/accept"),
})
"""What needs no credential: it has one of its own in the body, or shows nothing."""

LOCAL: Final = "local"
"""The address of a client that has none: it is on this machine."""

_SENTENCES = {
    Reason.HOST: "The Host header does not name this server.",
    Reason.ORIGIN: "Requests from another origin are refused.",
    Reason.SITE: "Requests from another site are refused.",
    Reason.CONTENT_TYPE: "The body must be application/json.",
    Reason.FORWARDED: "Requests that were forwarded are refused, but from the declared proxy.",
}

_CLOSES = {401: UNAUTHORIZED, 403: 4403}
"""What a WebSocket is closed with; 1013 (RFC 6455's registry) asks to try again later."""

_REMEDIES = {
    "unauthorized": (
        "Send `Authorization: Bearer` with the token of the home or one made for it, or sign in."
    ),
    "insufficient_scope": "Show a token that has it; `kandev token create` makes one.",
    "undeclared_proxy": "Set KANDEV_PUBLIC_URL to the address that the proxy serves.",
    "json_required": "Send `Content-Type: application/json`.",
}


class Door:
    """An application behind its door; refuses with problem details."""

    def __init__(
        self,
        app: Litestar,
        hosts: Collection[str],
        tokens: Tokens,
        revocations: Revocations,
        meter: RequestMeter,
        public: PublicUrl | None = None,
    ) -> None:
        self._app = app
        self._meter = meter
        self._hosts = hosts
        self._tokens = tokens
        self._revocations = revocations
        self._public = public

    async def __call__(
        self,
        scope: Scope | LifeSpanScope,
        receive: Receive | LifeSpanReceive,
        send: Send | LifeSpanSend,
    ) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:
            await self._answer(scope, receive, send)  # type: ignore[arg-type]  # the scope tells them apart

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            send = self._counting(scope, send)
        if not await self._lets_in(scope, send):
            return
        held: tuple[Held, ...] = scope.get("state", {}).pop(_HELD, ())
        if not held:
            await self._app(scope, receive, send)
            return
        with self._revocations.heard(*held) as over:
            await serve_until(over, self._app, scope, receive, send)

    def _counting(self, scope: Scope, send: Send) -> Send:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._meter.answered(str(scope.get("method", "")), message["status"])
            await send(message)

        return counted

    async def _lets_in(self, scope: Scope, send: Send) -> bool:
        headers = _combined(scope["headers"])
        asked = _asked(scope, headers)
        admitted = admit(asked, self._hosts, self._public)
        if failed(admitted):
            reason = admitted.failure().reason
            status = 415 if reason is Reason.CONTENT_TYPE else 403
            await _refuse(scope, send, status, reason.value, _SENTENCES[reason])
            return False
        named = headers["host"].lower()
        secure = self._public is not None and self._public.scheme == "https"
        scope.setdefault("state", {}).update({
            ADDRESS: admitted.unwrap(),
            SECURE: secure and self._public is not None and named in self._public.hosts,
        })
        if (_method(scope), scope["path"]) in OPEN:
            return True
        try:
            bearer = await self._bearer(headers)
        except StoreUnavailable as error:
            await _refuse_with(scope, send, store_details(error))
            return False
        return await self._opens(scope, asked, bearer, send)

    async def _bearer(self, headers: dict[str, str]) -> Bearer | None:
        """Whom the request stands for by its token; without one, by its cookie."""
        if "authorization" in headers:
            scheme, _, token = headers["authorization"].partition(" ")
            return await self._tokens.bearer(token.strip()) if scheme.lower() == "bearer" else None
        shown = cookie(headers.get("cookie", ""), cookie_name(headers["host"]))
        return await self._tokens.signed_in(shown) if shown is not None else None

    async def _opens(self, scope: Scope, asked: Asked, bearer: Bearer | None, send: Send) -> bool:
        if bearer is None:
            text = "A valid bearer token is needed, or a browser that is signed in."
            await _refuse(scope, send, 401, "unauthorized", text)
            return False
        scope_needed = needed(_method(scope))
        if scope_needed not in bearer.scopes:
            text = f"The token does not have the scope `{scope_needed.value}`."
            await _refuse(scope, send, 403, "insufficient_scope", text)
            return False
        if bearer.sign_in is not None and not from_our_page(asked, websocket=_is_socket(scope)):
            await _refuse(scope, send, 403, Reason.SITE.value, _SENTENCES[Reason.SITE])
            return False
        scope.setdefault("state", {}).update({
            PRINCIPAL: bearer.principal,
            SIGN_IN: bearer.sign_in,
            _HELD: _held(bearer),
        })
        return True


def _held(bearer: Bearer) -> tuple[Held, ...]:
    """By what the request is held open.

    The home's own token is never revoked, but its user may be let go from a workspace.
    """
    match bearer.principal:
        case Token(id=key, user=user):
            return (user,) if key == HOME_TOKEN else (key, user)
        case User(id=user):
            return (user,) if bearer.sign_in is None else (bearer.sign_in, user)


def _is_socket(scope: Scope) -> bool:
    return scope["type"] == ScopeType.WEBSOCKET


def _method(scope: Scope) -> str:
    """A WebSocket begins with a GET, and what is sent on it changes things."""
    if _is_socket(scope):
        return "CONNECT"
    return str(scope.get("method", "GET"))


def _combined(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """One value a name (RFC 9110, 5.3): whoever sends `Host` or `Origin` twice names nobody."""
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _asked(scope: Scope, headers: dict[str, str]) -> Asked:
    length = headers.get("content-length", "0")
    client = scope.get("client")
    return Asked(
        method=str(scope.get("method", "GET")),
        host=headers.get("host"),
        origin=headers.get("origin"),
        site=headers.get("sec-fetch-site"),
        content_type=headers.get("content-type"),
        has_body=length != "0" or "transfer-encoding" in headers,
        peer=str(client[0]) if client is not None else LOCAL,
        said={name: value for name, value in headers.items() if name in FORWARDING},
    )


async def _refuse(scope: Scope, send: Send, status: int, code: str, detail: str) -> None:
    remedy = _REMEDIES.get(code, "")
    await _refuse_with(scope, send, Details(status, code, "Refused", detail, remedy))


async def _refuse_with(scope: Scope, send: Send, details: Details) -> None:
    status = details.status
    if scope["type"] == ScopeType.WEBSOCKET:
        await send({
            "type": "websocket.close",
            "code": _CLOSES.get(status, 1013),
            "reason": details.code,
        })
        return
    body = msgspec.json.encode(details)
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
