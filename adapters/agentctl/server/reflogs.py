"""The reflogs of a repository, read as files: whatever lies there, a look ends and changes nothing.

An agent may write there. Links are not followed, what is no file is passed over, and what is read
is bounded.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from domain.push import (
    MAX_REFLOG_BYTES,
    MAX_REFLOGS,
    MAX_WORKTREES,
    Update,
    Worktree,
    checked_out,
    news,
    updates,
)

__all__ = ("Known", "are_files", "look", "worktree_of", "worktrees")

_REMOTES = "refs/remotes"
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Known(NamedTuple):
    """How far a reflog was read: the file, its size and its last line."""

    inode: int
    size: int
    last: bytes


def look(common: Path, known: Mapping[str, Known]) -> tuple[list[Update], dict[str, Known]]:
    """The pushes since `known` was read, and what is known now; by name of the ref."""
    found: list[Update] = []
    now: dict[str, Known] = {}
    for ref, entry in _logs(common / "logs" / _REMOTES):
        before = known.get(ref)
        with suppress(OSError):
            facts = entry.stat(follow_symlinks=False)
            if before is not None and (before.inode, before.size) == (facts.st_ino, facts.st_size):
                now[ref] = before
                continue
            content = _tail(Path(entry.path))
            found += updates(ref, news(before.last if before else b"", content))
            now[ref] = Known(facts.st_ino, facts.st_size, _last_line(content))
    return sorted(found, key=lambda each: each.ref), now


def are_files(common: Path) -> bool:
    """Whether the repository would keep reflogs as files (gitrepository-layout(5))."""
    return not (common / "reftable").exists()


def worktree_of(admin: Path) -> Worktree:
    """What the worktree with this directory of administration had checked out."""
    commits = checked_out(_tail(admin / "logs" / "HEAD", missing=b""))
    head = _tail(admin / "HEAD", missing=b"").decode("utf-8", "replace").strip()
    branch = head.removeprefix("ref: refs/heads/")
    return Worktree(frozenset({branch} if branch != head else ()), commits)


def worktrees(common: Path) -> Iterator[tuple[Path, Worktree]]:
    """Every worktree of the repository, the main one too, by directory of administration."""
    if (common / "index").exists():  # a bare repository has no main one
        yield common, worktree_of(common)
    with suppress(OSError), os.scandir(common / "worktrees") as entries:
        for _, entry in zip(range(MAX_WORKTREES), entries, strict=False):
            if entry.is_dir(follow_symlinks=False):
                yield Path(entry.path), worktree_of(Path(entry.path))


def _logs(remotes: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """At most `MAX_REFLOGS` of them, with the names of their refs."""
    left = MAX_REFLOGS
    folders = [(_REMOTES, str(remotes))]
    while folders and left:
        name, folder = folders.pop()
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                ref = f"{name}/{os.fsencode(entry.name).decode('utf-8', 'replace')}"
                if entry.is_dir(follow_symlinks=False):
                    folders.append((ref, entry.path))
                elif left and entry.is_file(follow_symlinks=False):
                    left -= 1
                    yield ref, entry


def _tail(path: Path, missing: bytes | None = None) -> bytes:
    """The end of a file, from the beginning of a line; `missing`, if given, where there is none.

    Raises `OSError` otherwise.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError:
        if missing is None:
            raise
        return missing
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return b""
        start = max(0, facts.st_size - MAX_REFLOG_BYTES)
        content = os.pread(descriptor, MAX_REFLOG_BYTES, start)
        return content if start == 0 else content[content.find(b"\n") + 1 :]
    finally:
        os.close(descriptor)


def _last_line(content: bytes) -> bytes:
    """The last whole line, with its end."""
    end = content.rfind(b"\n")
    return content[content.rfind(b"\n", 0, max(end, 0)) + 1 : end + 1]
