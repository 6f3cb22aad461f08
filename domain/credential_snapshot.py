"""What a session says about its git credential: the truth at its last successful launch.

It holds no secret, is written once with that launch, and is read back as it was written: nothing is
recomputed from today's settings, and what cannot be read is unknown, never guessed.
"""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

from domain.credential_policy import (
    RUNTIME_SELECTED,
    CredentialDecision,
    Mode,
    Source,
    Transport,
)

__all__ = (
    "KEY",
    "MAX_FIELD_LENGTH",
    "MAX_TEXT_LENGTH",
    "VERSION",
    "CredentialSnapshot",
    "load",
    "snapshot",
)

KEY = "git_credential_snapshot"
"""Where it lies in a session's metadata."""
VERSION = 1
MAX_FIELD_LENGTH = 255
"""Characters of a field of text; a longer one is not ours and is unknown."""
MAX_TEXT_LENGTH = 64 * 1_024
"""Characters or bytes of a snapshot that is stored as text."""

_WORD = re.compile(r"[a-z][a-z0-9_]*")

Member = TypeVar("Member", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class CredentialSnapshot:
    """A disclosure. None is unknown; an unknown actor is `runtime_selected`."""

    policy: Mode | None
    source: Source
    workspace_method: str | None
    actor: str
    transport: Transport | None
    executor_type: str | None
    captured_at: datetime | None
    version: int = VERSION

    def to_json(self) -> dict[str, object]:
        """The stored form, of JSON's own types; `load` reads it back equal. Unknowns are absent."""
        captured = self.captured_at
        fields: dict[str, object] = {
            "version": self.version,
            "policy": None if self.policy is None else str(self.policy),
            "source": str(self.source),
            "workspace_method": self.workspace_method,
            "actor": self.actor,
            "transport": None if self.transport is None else str(self.transport),
            "executor_type": self.executor_type,
            "captured_at": None if captured is None else _timestamp(captured),
        }
        return {name: value for name, value in fields.items() if value is not None}


def snapshot(
    decision: CredentialDecision, mode: Mode, executor_type: str, captured_at: datetime
) -> CredentialSnapshot:
    """The candidate of a launch; it becomes true when the launch does. `captured_at` is aware."""
    return CredentialSnapshot(
        policy=mode,
        source=decision.source,
        workspace_method=decision.method,
        actor=_actor(decision.source, decision.actor),
        transport=decision.transport,
        executor_type=str(executor_type),
        captured_at=captured_at.astimezone(UTC),
    )


def load(value: object) -> CredentialSnapshot | None:
    """Read what is stored, as an object or as its JSON text; never raises.

    None unless it is an object of this version with a source that is known. Of the other fields
    each is read by itself; one that is absent, of another type, too long or not in its set is
    unknown. Fields of others are passed over.
    """
    fields = _parsed(value) if isinstance(value, str | bytes | bytearray) else value
    if not isinstance(fields, dict) or type(fields.get("version")) is not int:
        return None
    source = _member(Source, fields.get("source"))
    if fields["version"] != VERSION or source is None:
        return None
    return CredentialSnapshot(
        policy=_member(Mode, fields.get("policy")),
        source=source,
        workspace_method=_method(source, fields.get("workspace_method")),
        actor=_actor(source, fields.get("actor")),
        transport=_member(Transport, fields.get("transport")),
        executor_type=_text(fields.get("executor_type")),
        captured_at=_moment(fields.get("captured_at")),
    )


def _parsed(text: str | bytes | bytearray) -> object:
    if len(text) > MAX_TEXT_LENGTH:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _member(kind: type[Member], value: object) -> Member | None:
    text = value if isinstance(value, str) else None
    return next((member for member in kind if member.value == text), None)


def _text(value: object) -> str | None:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_FIELD_LENGTH:
        return None
    return value if value.isprintable() else None


def _method(source: Source, value: object) -> str | None:
    """A forge's own word is kept; only the workspace has a method."""
    text = _text(value) if source is Source.WORKSPACE else None
    return text if text and _WORD.fullmatch(text) else None


def _actor(source: Source, value: object) -> str:
    """Only a connection of the workspace's has an owner that is known."""
    return (_text(value) if source is Source.WORKSPACE else None) or RUNTIME_SELECTED


def _timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC."""
    return moment.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


def _moment(value: object) -> datetime | None:
    """A time that says its offset; without one it could be any of many."""
    text = _text(value)
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
