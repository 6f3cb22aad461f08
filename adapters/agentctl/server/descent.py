"""Tells whether a process belongs to an instance, by its parents (proc(5), `stat`, field 4)."""

import os
from typing import Final

from adapters.agentctl import process_stat
from domain.identity import ExecutionId
from domain.peer import Descent

__all__ = ("Families",)

MAX_GENERATIONS: Final = 128
"""Parents that are looked at; a longer line is not told."""


class Families:
    """The agents of one agentctl, each the root of its instance's processes."""

    def __init__(self) -> None:
        self._roots: dict[tuple[int, int], ExecutionId] = {}

    def admit(self, execution: ExecutionId, pid: int, started: int) -> None:
        self._roots[pid, started] = execution

    def forget(self, execution: ExecutionId) -> None:
        self._roots = {root: owner for root, owner in self._roots.items() if owner != execution}

    def descent(self, execution: ExecutionId, pid: int) -> Descent:
        """Where `pid` stands to the instance of `execution`.

        The nearest agent above it decides. Below agentctl itself, and no agent, is what agentctl
        runs for an instance. Below init anything may stand, what an agent left there included.
        """
        for _ in range(MAX_GENERATIONS):
            found = process_stat.read(pid)
            if found is None:
                return Descent.UNKNOWN
            owner = self._roots.get((pid, found.started))
            if owner is not None:
                return Descent.INSIDE if owner == execution else Descent.OUTSIDE
            if pid == os.getpid():
                return Descent.INSIDE
            pid = found.parent
        return Descent.UNKNOWN
