"""Ending what a killed owner left running: found by pid and start time, and by a marker."""

import asyncio
import os
import signal
from collections.abc import Collection, Sequence
from typing import Final

from adapters.process.ending import gone, send
from adapters.process.spawn import EXECUTION_MARKER
from adapters.process.table import Identity, Root, snapshot

__all__ = ("LocalLeftovers",)

_NO_PROCESS: Final = -1


class LocalLeftovers:
    """`ports.processes.Leftovers` on this machine; `marker` names the variable of the mark."""

    __slots__ = ("_marker",)

    def __init__(self, marker: str = EXECUTION_MARKER) -> None:
        self._marker = marker

    async def end(
        self,
        mark: str,
        known: Sequence[tuple[int, int]],
        *,
        since: int,
        terminate: float,
        kill: float,
    ) -> None:
        marker = os.fsencode(f"{self._marker}={mark}")
        roots = [Root(Identity(_NO_PROCESS, since), marker)]
        roots.extend(Root(Identity(*each)) for each in known)

        left = _left(roots, ())
        send(left, signal.SIGTERM)
        await gone(left, terminate)
        loop = asyncio.get_running_loop()
        end = loop.time() + kill
        while (left := _left(roots, left)) and loop.time() < end:
            send(left, signal.SIGKILL)
            await gone(left, end - loop.time())


def _left(roots: Sequence[Root], known: Collection[Identity]) -> set[Identity]:
    table = snapshot()
    living = {process.identity for process in table}
    left = {root.identity for root in roots} & living
    for root in roots:
        left |= table.belonging(root, known)
    return left
