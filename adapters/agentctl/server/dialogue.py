"""What one client has asked and not been told yet, in JSON-RPC 2.0: no call is left without an end.

Lines pass on unread but for what tells a call from its answer. A control plane that comes anew
knows nothing of a client, so the client's greeting is kept, to be said again.
"""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from domain.tool_bounds import MAX_CALLS

__all__ = ("INVALID_REQUEST", "Dialogue", "error")

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
UNAVAILABLE: Final = -32000
"""Codes of JSON-RPC 2.0, section 5.1; the last is of those that are the server's own."""

MAX_GREETING_BYTES: Final = 64 * 1024
"""A greeting that is larger is not kept; the client is then to greet again."""

Id: TypeAlias = int | str | None

_READY: Final = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


class _Cancelled(msgspec.Struct):
    request_id: Id = msgspec.field(name="requestId", default=None)


class _Message(msgspec.Struct):
    id: Id | msgspec.UnsetType = msgspec.UNSET
    method: str | None = None


class _Cancel(msgspec.Struct):
    params: _Cancelled = msgspec.field(default_factory=_Cancelled)


_message: Final = msgspec.json.Decoder(_Message)
_cancel: Final = msgspec.json.Decoder(_Cancel)


class Dialogue:
    def __init__(self) -> None:
        self._asked: dict[Id, None] = {}
        self._greeting: tuple[Id, bytes] | None = None
        self._muted: set[Id] = set()

    def hear(self, line: bytes) -> bytes | None:
        """Note what the client says; the error to answer it with if it is not to be passed on."""
        try:
            said = _message.decode(line)
        except msgspec.ValidationError:
            return error(None, INVALID_REQUEST, "That is no message of JSON-RPC.")
        except msgspec.DecodeError:
            return error(None, PARSE_ERROR, "That is no JSON.")
        if said.method is None:
            return None
        if isinstance(said.id, msgspec.UnsetType):
            self._note(said.method, line)
            return None
        if len(self._asked) >= MAX_CALLS:
            text = f"too_many_calls: {MAX_CALLS} calls have no answer yet. Wait for one of them."
            return error(said.id, UNAVAILABLE, text)
        self._asked[said.id] = None
        if said.method == "initialize" and len(line) <= MAX_GREETING_BYTES:
            self._greeting = (said.id, line)
        return None

    def say(self, line: bytes) -> bool:
        """Note what the server says; whether the client is to hear it."""
        said = _message.decode(line)
        if said.method is not None or isinstance(said.id, msgspec.UnsetType):
            return True
        if said.id in self._muted:
            self._muted.discard(said.id)
            return False
        self._asked.pop(said.id, None)
        return True

    def unanswered(self, text: str) -> Sequence[bytes]:
        """An error for each call that waits; none of them waits then."""
        asked, self._asked = self._asked, {}
        return [error(each, UNAVAILABLE, text) for each in asked]

    def again(self) -> Iterator[bytes]:
        """What a server that comes anew is told before anything else."""
        if self._greeting is not None:
            greeted, line = self._greeting
            if greeted not in self._asked:
                self._muted.add(greeted)
                yield line
                yield _READY

    def _note(self, method: str, line: bytes) -> None:
        """A call that was cancelled may never be answered (the protocol, Cancellation)."""
        if method == "notifications/cancelled":
            try:
                self._asked.pop(_cancel.decode(line).params.request_id, None)
            except msgspec.ValidationError:
                return


def error(to: Id, code: int, text: str) -> bytes:
    body = {"jsonrpc": "2.0", "id": to, "error": {"code": code, "message": text}}
    return msgspec.json.encode(body)
