"""A process as proc(5) shows it, named by pid *and* start time: a pid alone may be given again."""

import os
from pathlib import Path
from typing import NamedTuple

__all__ = ("ProcessStat", "is_running", "ourselves", "read")

_ENDED = frozenset({b"Z", b"X", b"x"})


class ProcessStat(NamedTuple):
    """`started` is in clock ticks since boot; a zombie has ended."""

    parent: int
    started: int
    ended: bool


def read(pid: int) -> ProcessStat | None:
    """The process as it is now; None when there is none, or it is not to be seen."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The name stands in parentheses and may hold anything, a closing one included.
    fields = stat.rpartition(b")")[2].split()
    return ProcessStat(int(fields[1]), int(fields[19]), fields[0] in _ENDED)


def is_running(pid: int, started: int) -> bool:
    """Whether exactly this process still runs."""
    found = read(pid)
    return found is not None and found.started == started and not found.ended


def ourselves() -> tuple[int, int]:
    """Pid and start time of this process."""
    pid = os.getpid()
    found = read(pid)
    assert found is not None, "this process is running"
    return pid, found.started
