"""The processes of this machine as proc(5) shows them, and who of them belongs to a child of ours.

A process is named by pid and start time: a pid alone may name another process a moment later.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

__all__ = ("Identity", "Process", "Root", "Scanner", "Table", "read", "snapshot")

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


class Table:
    """The processes that had not ended at one moment, as the process `ours` saw them."""

    __slots__ = ("_children", "_ours", "_processes")

    def __init__(self, processes: Iterable[Process], ours: int) -> None:
        self._processes = {each.identity.pid: each for each in processes if not each.ended}
        self._children: dict[int, list[Identity]] = {}
        for process in self._processes.values():
            self._children.setdefault(process.parent, []).append(process.identity)
        self._ours = self._with_descendants(
            process.identity for process in self if process.identity.pid == ours
        )

    def __iter__(self) -> Iterator[Process]:
        return iter(self._processes.values())

    def lives(self, identity: Identity) -> bool:
        process = self._processes.get(identity.pid)
        return process is not None and process.identity == identity

    def belonging(self, root: Root, known: Iterable[Identity] = ()) -> set[Identity]:
        """Who descends from `root`, itself left out.

        Descendants by parent; members of its session or group, wherever their parent went; those of
        `known` that still live; and orphans that carry the root's marker: started after it and not
        below us. Then everyone that descends from one of these.
        """
        seeds = {identity for identity in known if self.lives(identity)}
        seeds.update(self._members(root))
        if root.marker is not None:
            seeds.update(self._orphans(root.identity.started, root.marker))
        if self.lives(root.identity):
            seeds.add(root.identity)
        return self._with_descendants(seeds) - {root.identity}

    def _members(self, root: Root) -> Iterator[Identity]:
        """The kernel reuses no number that still names a session or a group."""
        pid = root.identity.pid
        if pid in self._processes and not self.lives(root.identity):
            return
        for process in self._processes.values():
            if pid in {process.session, process.group}:
                yield process.identity

    def _orphans(self, since: int, marker: bytes) -> Iterator[Identity]:
        for process in self._processes.values():
            identity = process.identity
            if (
                identity.started >= since
                and identity not in self._ours
                and _carries(identity.pid, marker)
            ):
                yield identity

    def _with_descendants(self, seeds: Iterable[Identity]) -> set[Identity]:
        found: set[Identity] = set()
        pending = list(seeds)
        while pending:
            identity = pending.pop()
            if identity not in found:
                found.add(identity)
                pending.extend(self._children.get(identity.pid, ()))
        return found


class Scanner:
    """Looks at the machine's processes once for everyone who asks in the same moment."""

    __slots__ = ("_next",)

    def __init__(self) -> None:
        self._next: asyncio.Future[Table] | None = None

    async def __call__(self) -> Table:
        """The processes as they are after the call."""
        if self._next is None:
            loop = asyncio.get_running_loop()
            self._next = loop.create_future()
            loop.call_soon(self._look)
        return await asyncio.shield(self._next)

    def _look(self) -> None:
        waiting, self._next = self._next, None
        if waiting is not None and not waiting.done():
            waiting.set_result(snapshot())


def snapshot() -> Table:
    """Every process of the machine that has not ended."""
    found = (read(int(entry.name)) for entry in _PROC.iterdir() if entry.name.isdecimal())
    return Table((process for process in found if process), os.getpid())


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


def _carries(pid: int, marker: bytes) -> bool:
    try:
        environment = Path(_PROC, str(pid), "environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False
    return marker in environment.split(b"\0")
