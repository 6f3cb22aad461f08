"""The door of agentctl: everybody may ask for its health, and shake hands; the rest needs a proof.

The bearer is derived from the key by whoever knows it; without a key there is nothing to open.
"""

from typing import Final, Protocol

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from adapters.agentctl.server.presence import Presence
from adapters.agentctl.server.refusals import refusal_body
from adapters.agentctl.wire import Hello, Welcome
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Door", "Handshakes")

OPEN_PATHS: Final = frozenset({"/health", "/api/v1/handshake"})


class Handshakes(Protocol):
    """Proofs of the key, from both sides."""

    def welcome(self, hello: Hello) -> Welcome | None:
        """Answer a nonce with ours and the proof; None when there is no key or no nonce."""
        ...

    def admits(self, session: str) -> bool:
        """Whether the bearer was derived from the key and a handshake; in constant time."""
        ...


class Door(ASGIMiddleware):
    """Refuses before a body is read; notes that a control plane is there."""

    scopes = (ScopeType.HTTP, ScopeType.WEBSOCKET)

    def __init__(self, handshakes: Handshakes, presence: Presence) -> None:
        self._handshakes = handshakes
        self._presence = presence

    @override
    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        if scope["path"] in OPEN_PATHS:
            await next_app(scope, receive, send)
            return
        if not self._handshakes.admits(_bearer(scope)):
            await _refuse(scope, send)
            return
        with self._presence.here():
            await next_app(scope, receive, send)


def _bearer(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            return token.strip() if scheme.lower() == "bearer" else ""
    return ""


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == ScopeType.WEBSOCKET:
        await send({"type": "websocket.close", "code": 4401, "reason": "no proof of the key"})
        return
    body = refusal_body(RuntimeProblem(RuntimeCode.MISMATCH, "no proof of the key"))
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"www-authenticate", b"Bearer"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
