"""The processes of this machine as proc(5) shows them, and who of them belongs to a child of ours.

A process is named by pid and start time: a pid alone may name another process a moment later.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

__all__ = ("Identity", "Process", "Root", "belonging", "read", "snapshot")

_PROC = Path("/proc")
_ENDED = frozenset({"Z", "X", "x"})


class Identity(NamedTuple):
    """`started` in clock ticks since boot."""

    pid: int
    started: int


class Process(NamedTuple):
    """One line of the table. A zombie has ended; it stays listed until its parent reaps it."""

    identity: Identity
    parent: int
    group: int
    session: int
    ended: bool


@dataclass(frozen=True, slots=True)
class Root:
    """A child of ours, the leader of its session; `marker` is a `NAME=value` of its environment."""

    identity: Identity
    marker: bytes | None = None


def read(pid: int) -> Process | None:
    """The process as it is now; None when there is none."""
    try:
        stat = Path(_PROC, str(pid), "stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name stands in parentheses and may hold anything, a closing one included.
    fields = stat[stat.rindex(b")") + 2 :].split()
    state, parent, group, session = fields[:4]
    return Process(
        Identity(pid, int(fields[19])),
        int(parent),
        int(group),
        int(session),
        state.decode() in _ENDED,
    )


def snapshot() -> dict[int, Process]:
    """Every process that has not ended, by pid."""
    found = (read(int(entry.name)) for entry in _PROC.iterdir() if entry.name.isdecimal())
    return {process.identity.pid: process for process in found if process and not process.ended}


def belonging(
    root: Root, table: Mapping[int, Process], known: Iterable[Identity] = ()
) -> set[Identity]:
    """Who descends from `root`, itself left out.

    Descendants by parent; members of its session or group, wherever their parent went; those of
    `known` that still live; and orphans that carry the root's marker: started after it and hanging
    on no child of this process. Then everyone that descends from one of these.
    """
    seeds = {identity for identity in known if _lives(identity, table)}
    seeds |= set(_members(root, table))
    if root.marker is not None:
        seeds |= set(_marked_orphans(root, root.marker, table))
    if _lives(root.identity, table):
        seeds.add(root.identity)
    return _with_descendants(seeds, table) - {root.identity}


def _lives(identity: Identity, table: Mapping[int, Process]) -> bool:
    process = table.get(identity.pid)
    return process is not None and process.identity == identity


def _members(root: Root, table: Mapping[int, Process]) -> Iterator[Identity]:
    """The kernel reuses no number that still names a session or a group."""
    pid = root.identity.pid
    if pid in table and not _lives(root.identity, table):
        return
    for process in table.values():
        if pid in {process.session, process.group}:
            yield process.identity


def _marked_orphans(root: Root, marker: bytes, table: Mapping[int, Process]) -> Iterator[Identity]:
    ours = os.getpid()
    for process in table.values():
        if (
            process.identity.started >= root.identity.started
            and process.identity.pid != ours
            and ours not in _ancestors(process, table)
            and _carries(process.identity.pid, marker)
        ):
            yield process.identity


def _ancestors(process: Process, table: Mapping[int, Process]) -> set[int]:
    found: set[int] = set()
    parent = process.parent
    while parent and parent not in found:
        found.add(parent)
        parent = table[parent].parent if parent in table else 0
    return found


def _carries(pid: int, marker: bytes) -> bool:
    try:
        environment = Path(_PROC, str(pid), "environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False
    return marker in environment.split(b"\0")


def _with_descendants(seeds: Iterable[Identity], table: Mapping[int, Process]) -> set[Identity]:
    children: dict[int, list[Identity]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process.identity)
    found: set[Identity] = set()
    pending = list(seeds)
    while pending:
        identity = pending.pop()
        if identity not in found:
            found.add(identity)
            pending.extend(children.get(identity.pid, ()))
    return found
