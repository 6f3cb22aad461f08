"""The addresses of what can be read as a resource: a task, its plan, a conversation on it."""

import re
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from adapters.mcp.reading import named
from domain.principal import Principal
from domain.tool_bounds import MAX_ID

__all__ = ("TEMPLATES", "Place", "What", "address", "parse")


class What(Enum):
    """What is at an address; the value is its template (RFC 6570)."""

    TASK = "kandev://tasks/{task_id}"
    PLAN = "kandev://tasks/{task_id}/plan"
    CONVERSATION = "kandev://tasks/{task_id}/sessions/{session_id}/conversation{?after}"


TEMPLATES: Final = tuple(each.value for each in What)

_ID: Final = rf"[^/?#\s]{{1,{MAX_ID}}}"
_ADDRESS: Final = re.compile(
    rf"kandev://tasks/(?P<task>{_ID})"
    rf"(?:/(?P<plan>plan)|/sessions/(?P<session>{_ID})/conversation(?:\?after=(?P<after>\d{{1,15}}))?)?"
)


@dataclass(frozen=True, slots=True)
class Place:
    """`session` is None where there is none; `after` is where a conversation is read on."""

    what: What
    task: str
    session: str | None = None
    after: int = 0

    def known_as(self, principal: Principal) -> "Place":
        """The one place that every address of it leads to."""
        return replace(self, task=named(principal, self.task), after=0)


def parse(uri: str) -> Place | None:
    """None for what is no address of ours."""
    found = _ADDRESS.fullmatch(uri)
    if found is None:
        return None
    if found["plan"] is not None:
        return Place(What.PLAN, found["task"])
    if found["session"] is not None:
        return Place(What.CONVERSATION, found["task"], found["session"], int(found["after"] or 0))
    return Place(What.TASK, found["task"])


def address(place: Place) -> str:
    return (
        place.what.value
        .replace("{task_id}", place.task)
        .replace("{session_id}", place.session or "")
        .replace("{?after}", f"?after={place.after}" if place.after else "")
    )
