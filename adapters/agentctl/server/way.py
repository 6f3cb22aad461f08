"""The way to a file in a directory that an agent controls: never out of it, whatever is swapped.

Each directory on the way is opened in the one before it without following a link. A link is read
and its target walked from the top again, so that it may lead to anywhere inside and nowhere else.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ("OutsideError", "Place", "way_to")

MAX_LINKS: Final = 16
"""Links on one way."""

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LINK_HERE: Final = frozenset({errno.ELOOP, errno.ENOTDIR})


class OutsideError(Exception):
    """The way leads out, into git's own files, or in circles."""


class Place(NamedTuple):
    """A name in an open directory; the name is empty where the directory itself is meant."""

    parent: int
    name: str


@contextmanager
def way_to(root: Path, path: str, *, make: bool = False) -> Iterator[Place]:
    """Where `path` leads below `root`, at the end of every link; `make` adds missing directories.

    Raises `OutsideError` and OSError.
    """
    names = _inside(path.split("/"))
    for _ in range(MAX_LINKS):
        if any(name.lower() == ".git" for name in names):
            raise OutsideError
        parent, done = _descend(root, names[:-1], make=make)
        try:
            target = _target(parent, names[done]) if done < len(names) else None
            if target is None and done >= len(names) - 1:
                yield Place(parent, names[-1] if names else "")
                return
            if target is None:
                raise NotADirectoryError(errno.ENOTDIR, "no directory", path)
        finally:
            os.close(parent)
        names = _inside([*names[:done], *_words(target), *names[done + 1 :]])
    raise OutsideError


def _descend(root: Path, names: Sequence[str], *, make: bool) -> tuple[int, int]:
    """The last directory that could be opened, and how many names lead to it."""
    current = os.open(root, _DIRECTORY)
    for done, name in enumerate(names):
        try:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=current)
            following = os.open(name, _DIRECTORY, dir_fd=current)
        except OSError as error:
            if error.errno in _LINK_HERE:
                return current, done
            os.close(current)
            raise
        os.close(current)
        current = following
    return current, len(names)


def _target(parent: int, name: str) -> str | None:
    """What a link says, None of anything else and of nothing."""
    with suppress(FileNotFoundError):
        if stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            return os.readlink(name, dir_fd=parent)
    return None


def _words(target: str) -> Sequence[str]:
    if target.startswith("/"):
        raise OutsideError
    return target.split("/")


def _inside(names: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for name in names:
        if name == "..":
            if not kept:
                raise OutsideError
            kept.pop()
        elif name not in {"", "."}:
            kept.append(name)
    return kept
