"""What each entry of git's list does to the entries before it.

`git config --list` shows an entry that was reset as if it were alive: whether a variable is a list,
what clears it and what a rewrite leads to is known here (git-config(1), gitcredentials(7)).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from domain.git_config import Entry
from domain.git_key import Key, Place, place, scope_covers, scopes_meet, split

__all__ = ("Action", "Effect", "effects")

_LISTS = frozenset({
    ("blame", "ignorerevsfile"),
    ("credential", "helper"),
    ("http", "curloptresolve"),
    ("http", "extraheader"),
    ("log", "excludedecoration"),
    ("merge", "suppressdest"),
    ("notes", "displayref"),
    ("notes", "rewriteref"),
    ("push", "pushoption"),
    ("receive", "hiderefs"),
    ("remote", "fetch"),
    ("remote", "push"),
    ("remote", "pushurl"),
    ("remote", "url"),
    ("safe", "directory"),
    ("submodule", "active"),
    ("transfer", "hiderefs"),
    ("uploadpack", "hiderefs"),
    ("versionsort", "suffix"),
})
_CLEARED_BY_EMPTY = frozenset({
    ("blame", "ignorerevsfile"),
    ("credential", "helper"),
    ("http", "curloptresolve"),
    ("http", "extraheader"),
    ("merge", "suppressdest"),
    ("push", "pushoption"),
    ("safe", "directory"),
})
_REWRITES = frozenset({("url", "insteadof"), ("url", "pushinsteadof")})
_INCLUDES = frozenset({("include", "path"), ("includeif", "path")})


class Action(StrEnum):
    """What an entry does. A rewrite is named by the worst that it does to an address."""

    SETS = "sets"
    ADDS = "adds"
    OVERRIDES = "overrides"
    RESETS = "resets"
    INCLUDES = "includes"
    REWRITES = "rewrites"
    REWRITES_SCHEME = "rewrites_scheme"
    REWRITES_HOST = "rewrites_host"
    REWRITES_TO_SSH = "rewrites_to_ssh"


@dataclass(frozen=True, slots=True)
class Effect:
    """What an entry does, and the positions of the earlier entries that it does it to."""

    action: Action
    positions: tuple[int, ...] = ()


def effects(entries: Sequence[Entry]) -> tuple[Effect, ...]:
    """The effect of each entry, in order."""
    earlier: dict[tuple[str, str], list[tuple[int, Key]]] = {}
    found: list[Effect] = []
    for position, entry in enumerate(entries):
        key = split(entry.key)
        same = earlier.setdefault((key.section, key.variable), [])
        found.append(_effect(key, entry.value, same))
        same.append((position, key))
    return tuple(found)


def _effect(key: Key, value: str, earlier: Sequence[tuple[int, Key]]) -> Effect:
    """What an entry does to the `earlier` ones of the same section and variable."""
    variable = (key.section, key.variable)
    if variable in _REWRITES:
        return Effect(_rewrite(place(value), place(key.subsection or "")))
    if variable in _INCLUDES:
        return Effect(Action.INCLUDES)
    if variable in _LISTS and (value or variable not in _CLEARED_BY_EMPTY):
        return Effect(Action.ADDS)

    touched = tuple(position for position, other in earlier if _touches(key, other))
    if variable in _LISTS:
        return Effect(Action.RESETS, touched)
    return Effect(Action.OVERRIDES if touched else Action.SETS, touched)


def _touches(later: Key, earlier: Key) -> bool:
    """Whether two entries of one name are about one variable.

    Of `credential` the last word counts whatever its scope; of `http` a word counts unless an
    earlier one has a narrower scope; elsewhere a subsection makes it another variable.
    """
    if later.section == "credential":
        return scopes_meet(later.subsection, earlier.subsection)
    if later.section == "http":
        return scope_covers(earlier.subsection, later.subsection)
    return later.subsection == earlier.subsection


def _rewrite(source: Place, target: Place) -> Action:
    """Compare a prefix with what takes its place; an empty prefix matches every address."""
    if target.scheme == "ssh" and source.scheme != "ssh":
        return Action.REWRITES_TO_SSH
    if target.host != source.host:
        return Action.REWRITES_HOST
    return Action.REWRITES if target.scheme == source.scheme else Action.REWRITES_SCHEME
