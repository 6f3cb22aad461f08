"""The processes of this test run: its descendants, and those that lost their parent.

The latter are known by the mark of the run in their environment, or by a directory of the run in
their environment, their arguments or their working directory. Each worker of xdist has a mark and
directories of its own, so that workers never see one another's.
"""

import os
import resource
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ("MARK", "OwnProcesses", "Process", "described")

MARK: Final = "TEST_RUN_MARK"
"""The variable by which a process is known as started by this run, whoever its parent is now."""

PROC: Final = Path("/proc")


class Process(NamedTuple):
    """A process by what nobody else ever has: its pid together with its start time."""

    pid: int
    started: int


class _Row(NamedTuple):
    process: Process
    parent: int
    ended: bool


class OwnProcesses:
    """Looks at the machine only after this process has had a child, and until nothing is left."""

    def __init__(self) -> None:
        self.mark = uuid.uuid4().hex
        self._places: set[bytes] = set()
        self._born = next(row for row in _table() if row.process.pid == os.getpid()).process.started
        self._settled = _faults_of_children()

    def work_in(self, directory: Path) -> None:
        """Whatever names this directory is this run's."""
        self._places.add(os.fsencode(directory) + b"/")

    def living(self) -> frozenset[Process]:
        """All of them, and children that ended and were not waited for."""
        faults = _faults_of_children()
        if faults == self._settled and not _any_child():
            return frozenset()
        rows = [row for row in _table() if row.process.started >= self._born]
        descended = {os.getpid()}
        while grown := {row.process.pid for row in rows if row.parent in descended} - descended:
            descended |= grown
        found = frozenset(
            row.process
            for row in rows
            if row.process.pid != os.getpid()
            and (row.process.pid in descended or (not row.ended and self._marked(row.process.pid)))
        )
        if not found:
            self._settled = faults
        return found

    def _marked(self, pid: int) -> bool:
        environment = _read(pid, "environ")
        if f"{MARK}={self.mark}".encode() in environment.split(b"\0"):
            return True
        says = environment + _read(pid, "cmdline") + _directory(pid)
        return any(place in says for place in self._places)


def described(process: Process) -> str:
    words = _read(process.pid, "cmdline").replace(b"\0", b" ").decode(errors="replace")
    return f"process {process.pid}: {words.strip() or 'ended, and nobody waited for it'}"


def _any_child() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _faults_of_children() -> int:
    """Grows with every child that is waited for: none runs without a page fault."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt


def _table() -> Iterator[_Row]:
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it ended meanwhile
                fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                process = Process(int(folder.name), int(fields[19]))
                yield _Row(process, int(fields[1]), fields[0] in {b"Z", b"X"})


def _read(pid: int, name: str) -> bytes:
    try:
        return (PROC / str(pid) / name).read_bytes()
    except OSError:
        return b""


def _directory(pid: int) -> bytes:
    try:
        return os.fsencode((PROC / str(pid) / "cwd").readlink()) + b"/"
    except OSError:
        return b""
