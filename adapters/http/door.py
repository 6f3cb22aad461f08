"""The door of the server: Host, Origin and Fetch Metadata first, then the bearer token.

Both are checked before the body is read, on every route, event streams included; `/health` alone
needs no token. What a token stands for is the principal of the request.
"""

from collections.abc import Collection
from typing import Final

import msgspec
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from adapters.http.problem_details import Details
from domain.http_door import Asked, Reason, admit
from domain.outcome import failed
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


class Door(ASGIMiddleware):
    """Refuses with problem details, and reads nothing of the body."""

    scopes = (ScopeType.HTTP, ScopeType.WEBSOCKET)

    def __init__(self, hosts: Collection[str], tokens: Tokens) -> None:
        self._hosts = hosts
        self._tokens = tokens

    @override
    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        admitted = admit(_asked(scope, headers), self._hosts)
        if failed(admitted):
            reason = admitted.failure().reason
            status = 415 if reason is Reason.CONTENT_TYPE else 403
            await _refuse(scope, send, status, reason.value, _SENTENCES[reason])
            return
        if scope["path"] not in OPEN_PATHS:
            scheme, _, token = headers.get("authorization", "").partition(" ")
            principal = (
                self._tokens.principal(token.strip()) if scheme.lower() == "bearer" else None
            )
            if principal is None:
                await _refuse(scope, send, 401, "unauthorized", "A valid bearer token is needed.")
                return
            scope["state"][PRINCIPAL] = principal
        await next_app(scope, receive, send)


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
    if scope["type"] == ScopeType.WEBSOCKET:
        await send({
            "type": "websocket.close",
            "code": 4403 if status == 403 else 4401,
            "reason": code,
        })
        return
    remedy = "Send `Authorization: Bearer` with the token of the home." if status == 401 else ""
    body = msgspec.json.encode(Details(status, code, "Refused", detail, remedy))
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
