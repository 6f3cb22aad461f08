"""Looking for a value in the environment and the arguments of processes, as proc(5) shows them."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ("Found", "Scan", "descendants", "scan", "with_mark")

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Found:
    """A process that shows the value, where, and its program; never the value."""

    pid: int
    where: str
    program: str


@dataclass(frozen=True, slots=True)
class Scan:
    """`programs` are those of all processes that were read.

    `hidden` are those among them whose environment the kernel shows to nobody but root.
    """

    programs: tuple[str, ...]
    found: tuple[Found, ...]
    hidden: tuple[str, ...] = ()


def scan(pids: Iterable[int], value: str) -> Scan:
    """Read each process; one that ended meanwhile is passed over."""
    programs: list[str] = []
    found: list[Found] = []
    hidden: list[str] = []
    for pid in pids:
        arguments = _read(pid, "cmdline")
        if not arguments:
            continue
        program = Path(arguments.split(b"\0", 1)[0].decode("utf-8", "replace")).name
        programs.append(program)
        environment = _read(pid, "environ")
        if environment is None:
            hidden.append(program)
        for where, content in (("arguments", arguments), ("environment", environment or b"")):
            if value.encode() in content:
                found.append(Found(pid, where, program))
    return Scan(tuple(programs), tuple(found), tuple(hidden))


def descendants(of: int | None = None) -> list[int]:
    """All processes below `of`, this one by default, itself included."""
    children: dict[int, list[int]] = {}
    for pid in _pids():
        children.setdefault(_parent(pid), []).append(pid)
    reached = [of or os.getpid()]
    for pid in reached:
        reached.extend(children.get(pid, []))
    return reached


def with_mark(mark: str) -> list[int]:
    """All processes that carry `mark` in their environment, this one excepted."""
    return [
        pid
        for pid in _pids()
        if pid != os.getpid() and mark.encode() in (_read(pid, "environ") or b"")
    ]


def _pids() -> list[int]:
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit()]


def _read(pid: int, name: str) -> bytes | None:
    """What the kernel shows; nothing of a process that has ended, None when it does not show it."""
    try:
        return (_PROC / str(pid) / name).read_bytes()
    except PermissionError:
        return None
    except OSError:
        return b""


def _parent(pid: int) -> int:
    """Field 4 of `stat`; the name before it may hold anything, so what follows `)` is read."""
    fields = (_read(pid, "stat") or b"").rpartition(b")")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0
