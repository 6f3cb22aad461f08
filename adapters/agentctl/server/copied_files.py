"""Give a new worktree the ignored files that its repository names: copies, or links back.

Nothing that is there is written over. Every directory on the way is opened without following a
link, so that nothing is written outside the worktree; every source lies inside the repository.
"""

import errno
import glob
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from domain.copy_files import MAX_FILES, CopyEntry, CopyWarning, Reason, alternatives

__all__ = ("give", "linked")

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_CHUNK: Final = 1024 * 1024


def give(entries: Sequence[CopyEntry], source: Path, target: Path) -> list[CopyWarning]:
    """Copy or link what the entries name from `source` to `target`; what could not be."""
    warnings: list[CopyWarning] = []
    root, given = source.resolve(), 0
    for entry in entries:
        matched = False
        for relative in _matches(root, entry):
            matched = True
            given += 1
            if given > MAX_FILES:
                return [*warnings, CopyWarning(entry.pattern, relative, Reason.TOO_MANY)]
            reason = _give_one(root, relative, target, link=entry.symlink)
            if reason is not None:
                warnings.append(CopyWarning(entry.pattern, relative, reason))
        if not matched:
            warnings.append(CopyWarning(entry.pattern, entry.pattern, Reason.NO_MATCH))
    return warnings


def linked(entries: Sequence[CopyEntry], source: Path, target: Path) -> list[str]:
    """The links that lie in `target` for the entries that ask for one."""
    root = source.resolve()
    wanted = (match for each in entries if each.symlink for match in _matches(root, each))
    return [each for each in islice(wanted, MAX_FILES) if (target / each).is_symlink()]


def _matches(root: Path, entry: CopyEntry) -> Iterator[str]:
    """Paths relative to the repository: of a link the match itself, else every file below it."""
    for pattern in _patterns(root, entry.pattern):
        if pattern.startswith("/") or ".." in pattern.split("/"):
            yield pattern
            continue
        literal = os.path.lexists(root / pattern)
        found = (
            [pattern]
            if literal
            else sorted(
                glob.iglob(  # noqa: PTH207 -- Path.glob refuses patterns that a person may write
                    pattern, root_dir=root, recursive=True, include_hidden=True
                )
            )
        )
        for match in found:
            relative = os.path.normpath(match)
            if relative.split("/")[0] in {".git", "."}:
                continue
            if entry.symlink:
                yield relative
            else:
                yield from _files(root, relative)


def _patterns(root: Path, pattern: str) -> Sequence[str]:
    return (pattern,) if os.path.lexists(root / pattern) else alternatives(pattern)


def _files(root: Path, relative: str) -> Iterator[str]:
    path = root / relative
    if path.is_symlink() or not path.is_dir():
        yield relative
        return
    for directory, folders, files in os.walk(path):
        folders[:] = sorted(each for each in folders if each != ".git")
        for name in sorted(files):
            yield os.path.relpath(Path(directory, name), root)


def _give_one(root: Path, relative: str, target: Path, *, link: bool) -> Reason | None:
    if relative.startswith("/") or ".." in relative.split("/"):
        return Reason.OUTSIDE
    origin = root / relative
    try:
        real = origin.resolve(strict=True)
        if not real.is_relative_to(root):
            return Reason.OUTSIDE
        kind = real.stat().st_mode
        if not stat.S_ISREG(kind) and not (link and stat.S_ISDIR(kind)):
            return Reason.SPECIAL
        *folders, name = relative.split("/")
        parent = _open_folders(target, folders)
    except NotADirectoryError:
        return Reason.LINKED
    except OSError as error:
        return Reason.LINKED if error.errno == errno.ELOOP else Reason.FAILED
    try:
        if link:
            below = os.path.relpath(origin, target / Path(*folders))
            os.symlink(below, name, dir_fd=parent)
        else:
            _copy(real, name, parent, stat.S_IMODE(kind))
    except FileExistsError:
        return None
    except OSError:
        return Reason.FAILED
    finally:
        os.close(parent)
    return None


def _open_folders(target: Path, folders: Sequence[str]) -> int:
    """A descriptor of the folder below `target`, made where it is missing; never behind a link."""
    current = os.open(target, _DIRECTORY)
    for folder in folders:
        try:
            with suppress(FileExistsError):
                os.mkdir(folder, dir_fd=current)
            following = os.open(folder, _DIRECTORY, dir_fd=current)
        finally:
            os.close(current)
        current = following
    return current


def _copy(real: Path, name: str, parent: int, mode: int) -> None:
    """A file with the content and permissions of another; none when it cannot be whole."""
    done = False
    with real.open("rb") as reading:
        written = os.open(name, _NEW, 0o600, dir_fd=parent)
        try:
            with os.fdopen(written, "wb") as writing:
                while chunk := reading.read(_CHUNK):
                    writing.write(chunk)
                os.fchmod(writing.fileno(), mode)
            done = True
        finally:
            if not done:
                os.unlink(name, dir_fd=parent)
