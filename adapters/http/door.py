"""The door of the server: Host, Origin and Fetch Metadata first, then the bearer token.

It stands before the whole application: what does not come in learns not even which routes there
are, and nothing of its body is read. `/health` alone needs no token. Whom a token stands for is the
principal of the request; what it does not open stays shut, whichever route is asked.
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
from domain.access_token import HOME_TOKEN, needed
from domain.http_door import Asked, Reason, admit
from domain.outcome import failed
from domain.principal import Token
from ports.revocations import Revocations
from ports.store import StoreUnavailable
from ports.tokens import Tokens

__all__ = ("PRINCIPAL", "Door")

PRINCIPAL: Final = "kandev.principal"
"""Where the request's state holds its principal."""

OPEN_PATHS: Final = frozenset({"/health"})

_SENTENCES = {
    Reason.HOST: "The Host header does not name this server.",
    Reason.ORIGIN: "Requests from another origin are refused.",
    Reason.SITE: "Requests from another site are refused.",
    Reason.CONTENT_TYPE: "The body must be application/json.",
}

_CLOSES = {401: UNAUTHORIZED, 403: 4403}
"""What a WebSocket is closed with; 1013 (RFC 6455's registry) asks to try again later."""

_REMEDIES = {
    "unauthorized": "Send `Authorization: Bearer` with the token of the home, or one made for it.",
    "insufficient_scope": "Show a token that has it; `kandev token create` makes one.",
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
    ) -> None:
        self._app = app
        self._meter = meter
        self._hosts = hosts
        self._tokens = tokens
        self._revocations = revocations

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
        principal = scope.get("state", {}).get(PRINCIPAL)
        if not isinstance(principal, Token) or principal.id == HOME_TOKEN:
            await self._app(scope, receive, send)
            return
        with self._revocations.heard(principal.id) as over:
            await serve_until(over, self._app, scope, receive, send)

    def _counting(self, scope: Scope, send: Send) -> Send:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._meter.answered(str(scope.get("method", "")), message["status"])
            await send(message)

        return counted

    async def _lets_in(self, scope: Scope, send: Send) -> bool:
        headers = _combined(scope["headers"])
        admitted = admit(_asked(scope, headers), self._hosts)
        if failed(admitted):
            reason = admitted.failure().reason
            status = 415 if reason is Reason.CONTENT_TYPE else 403
            await _refuse(scope, send, status, reason.value, _SENTENCES[reason])
            return False
        if scope["path"] in OPEN_PATHS:
            return True
        return await self._knows(scope, headers.get("authorization", ""), send)

    async def _knows(self, scope: Scope, authorization: str, send: Send) -> bool:
        scheme, _, token = authorization.partition(" ")
        try:
            bearer = (
                await self._tokens.bearer(token.strip()) if scheme.lower() == "bearer" else None
            )
        except StoreUnavailable as error:
            await _refuse_with(scope, send, store_details(error))
            return False
        if bearer is None:
            await _refuse(scope, send, 401, "unauthorized", "A valid bearer token is needed.")
            return False
        scope_needed = needed(_method(scope))
        if scope_needed not in bearer.scopes:
            text = f"The token does not have the scope `{scope_needed.value}`."
            await _refuse(scope, send, 403, "insufficient_scope", text)
            return False
        scope.setdefault("state", {})[PRINCIPAL] = bearer.principal
        return True


def _method(scope: Scope) -> str:
    """A WebSocket begins with a GET, and what is sent on it changes things."""
    if scope["type"] == ScopeType.WEBSOCKET:
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
    return Asked(
        method=str(scope.get("method", "GET")),
        host=headers.get("host"),
        origin=headers.get("origin"),
        site=headers.get("sec-fetch-site"),
        content_type=headers.get("content-type"),
        has_body=length != "0" or "transfer-encoding" in headers,
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
