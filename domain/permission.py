"""Permission: an agent asks before it acts, and is answered with one of its own options.

Approving on its own picks an option that allows, never one that merely happens to be first.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

__all__ = ("Option", "OptionKind", "approve", "offers")


class OptionKind(StrEnum):
    """The kinds of the Agent Client Protocol, version 1."""

    ALLOW_ONCE = "allow_once"
    ALLOW_ALWAYS = "allow_always"
    REJECT_ONCE = "reject_once"
    REJECT_ALWAYS = "reject_always"


class Option(NamedTuple):
    id: str
    name: str
    kind: str


def approve(options: Sequence[Option]) -> str | None:
    """The id of the narrowest option that allows; None when there is none, and so no approval."""
    for kind in (OptionKind.ALLOW_ONCE, OptionKind.ALLOW_ALWAYS):
        chosen = next((option.id for option in options if option.kind == kind), None)
        if chosen is not None:
            return chosen
    return None


def offers(options: Sequence[Option], chosen: str) -> bool:
    return any(option.id == chosen for option in options)
