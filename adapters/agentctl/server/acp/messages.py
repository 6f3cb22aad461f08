"""The envelope of a message of the agent's, decoded once; what it carries stays as it came.

JSON-RPC 2.0, one object a line. An update is routed by its envelope and never enters the SDK.
"""

import re
from typing import Any, Final, Literal

import msgspec

__all__ = ("Broken", "Message", "Update", "read", "read_updates")


class Update(msgspec.Struct, frozen=True):
    """The `params` of a `session/update`: the conversation it is about, and the update unread."""

    session: str = msgspec.field(name="sessionId")
    update: msgspec.Raw = msgspec.field()


class Broken(msgspec.Struct, frozen=True):
    """What began as a JSON object and is none: the stream of messages is damaged."""


class Message(msgspec.Struct, frozen=True):
    """A request, a notification or an answer, for the SDK. `answers` is the id it answers."""

    decoded: dict[str, Any]  # JSON of the agent's, for the SDK to judge
    answers: int | None


class _Notification(msgspec.Struct):
    method: Literal["session/update"]
    params: Update


_NOTIFICATIONS: Final = msgspec.json.Decoder(_Notification)
_OBJECT: Final = re.compile(rb'[ \t]*\{[ \t]*"')
_OBJECTS: Final = msgspec.json.Decoder(dict[str, Any])


def read(line: bytes) -> Update | Message | Broken | None:
    """What a line says, or None when it is no message of the protocol.

    An update without its members is no message either: it is kept as evidence with the noise.
    """
    try:
        return _NOTIFICATIONS.decode(line).params
    except msgspec.ValidationError:
        return _message(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _undecodable(line)


def read_updates(block: bytes) -> list[Update] | None:
    """The updates of whole lines, or None unless each of them is one: then each is read alone."""
    try:
        return [each.params for each in _NOTIFICATIONS.decode_lines(block)]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _undecodable(line: bytes) -> Broken | None:
    return Broken() if _OBJECT.match(line) else None


def _message(line: bytes) -> Message | Broken | None:
    try:
        decoded = _OBJECTS.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _undecodable(line)
    method = decoded.get("method")
    if method is None:
        return _answer(decoded)
    if not isinstance(method, str) or method == "session/update":
        return None
    return Message(decoded, None)


def _answer(decoded: dict[str, Any]) -> Message | None:
    answers = decoded.get("id")
    # The ids of our requests are integers, which a bool is only in Python.
    if type(answers) is not int or not isinstance(decoded.get("error") or {}, dict):
        return None
    return Message(decoded, answers) if "result" in decoded or "error" in decoded else None
