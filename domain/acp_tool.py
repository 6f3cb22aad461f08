"""Tool calls as agents report them, in our words: a kind, a status and what they carried.

Members are those of `ToolCall` and `ToolCallUpdate` in the Agent Client Protocol, version 1. An
exit code says more than the status beside it: a shell that exited with 2 did not complete.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from domain.event import Json

__all__ = ("ToolKind", "ToolStatus", "called", "kind_of", "status_of")


class ToolKind(StrEnum):
    READ_FILE = "read_file"
    MODIFY_FILE = "modify_file"
    SHELL_EXEC = "shell_exec"
    CODE_SEARCH = "code_search"
    HTTP_REQUEST = "http_request"
    GENERIC = "generic"


class ToolStatus(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETE = "complete"
    ERROR = "error"
    CANCELLED = "cancelled"


_KINDS: Final[Mapping[str, ToolKind]] = {
    "edit": ToolKind.MODIFY_FILE,
    "read": ToolKind.READ_FILE,
    "view": ToolKind.READ_FILE,
    "execute": ToolKind.SHELL_EXEC,
    "bash": ToolKind.SHELL_EXEC,
    "run": ToolKind.SHELL_EXEC,
    "shell": ToolKind.SHELL_EXEC,
    "search": ToolKind.CODE_SEARCH,
    "glob": ToolKind.CODE_SEARCH,
    "grep": ToolKind.CODE_SEARCH,
    "fetch": ToolKind.HTTP_REQUEST,
}

_STATUSES: Final[Mapping[str, ToolStatus]] = {
    "pending": ToolStatus.PENDING,
    "in_progress": ToolStatus.IN_PROGRESS,
    "completed": ToolStatus.COMPLETE,
    "failed": ToolStatus.ERROR,
    "cancelled": ToolStatus.CANCELLED,
}

_CARRIED: Final[Mapping[str, str]] = {
    "title": "title",
    "content": "content",
    "locations": "locations",
    "rawInput": "raw_input",
    "rawOutput": "raw_output",
}
"""What a call or an update may carry, and what it is called in an event."""

_SIGNS_OF_LIFE: Final = ("title", "content", "locations", "rawInput")
"""An update without a status that has one of these comes from a tool that still runs."""


def kind_of(update: Json) -> ToolKind:
    """What sort of work the call is; `generic` when the agent's word for it is not known."""
    kind = _KINDS.get(str(update.get("kind") or "").lower(), ToolKind.GENERIC)
    raw_input = update.get("rawInput")
    if kind is ToolKind.READ_FILE and _member(raw_input, "type") == "directory":
        return ToolKind.CODE_SEARCH
    return kind


def status_of(update: Json, kind: ToolKind, before: ToolStatus | None) -> ToolStatus | None:
    """The status after an update; None when it says nothing about one."""
    if before is ToolStatus.CANCELLED:
        return ToolStatus.CANCELLED
    said = _STATUSES.get(str(update.get("status")))
    code = _exit_code(update) if kind is ToolKind.SHELL_EXEC else None
    if code is not None and said in {None, ToolStatus.COMPLETE}:
        return ToolStatus.ERROR if code else ToolStatus.COMPLETE
    if said is None and any(update.get(name) for name in _SIGNS_OF_LIFE):
        return ToolStatus.IN_PROGRESS
    return said


def called(update: Json) -> Json:
    """What the call or update carries, under the names of an event; absent members stay away."""
    return {ours: update[theirs] for theirs, ours in _CARRIED.items() if update.get(theirs)}


def _exit_code(update: Json) -> int | None:
    output, meta = update.get("rawOutput"), _member(update.get("_meta"), "terminal_exit")
    for holder in (output, meta):
        for name in ("exitCode", "exit_code"):
            code = _member(holder, name)
            if isinstance(code, int) and not isinstance(code, bool):
                return code
    return None


def _member(holder: object, name: str) -> object:
    return holder.get(name) if isinstance(holder, Mapping) else None
