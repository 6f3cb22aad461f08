"""What lies where a worktree should be, told from its files alone (gitrepository-layout(5))."""

import os
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path
from typing import Final

from domain.turn_evidence import UNKNOWN, Commit

__all__ = (
    "Found",
    "admin_of",
    "head_commit",
    "is_set_up",
    "lock_of",
    "look",
    "misplaced",
    "names",
    "note_set_up",
    "repository_of",
    "vacate",
)

MAX_PACKED_REFS_BYTES: Final = 4 * 1024 * 1024
"""What is read of a repository's packed refs while a prompt waits."""

_SET_UP: Final = "kandev-set-up"
"""The file of administration that says that nothing is left to set up in a worktree."""


class Found(Enum):
    NOTHING = auto()
    OURS = auto()
    """A worktree of the repository."""
    HALF_MADE = auto()
    """One that git was interrupted in while it checked it out."""
    OTHER = auto()


def look(path: Path, source: Path) -> Found:
    """What is at `path`; `source` is the repository that a worktree would belong to."""
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return Found.NOTHING
    admin = _admin(path / ".git")
    if admin is None or _common(admin) not in {repository_of(source), source.resolve()}:
        return Found.OTHER
    return Found.HALF_MADE if _is_initializing(admin) else Found.OURS


def admin_of(path: Path) -> Path | None:
    """The directory in the repository that belongs to the worktree at `path`."""
    return _admin(path / ".git")


def names(admin: Path, path: Path) -> bool:
    """Whether the repository knows this worktree at this path; a copy of one it does not."""
    try:
        told = (admin / "gitdir").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return False
    return (admin / told).resolve() == (path / ".git").resolve()


def lock_of(admin: Path) -> str | None:
    """The reason that a worktree is locked for, perhaps an empty one; None when it is not."""
    try:
        return (admin / "locked").read_bytes().decode("utf-8", "replace").strip()
    except FileNotFoundError:
        return None


def is_set_up(admin: Path) -> bool:
    """Whether it was noted that nothing is left to set up in the worktree."""
    return (admin / _SET_UP).exists()


def note_set_up(admin: Path) -> None:
    """Note it. Raises `OSError`."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    os.close(os.open(admin / _SET_UP, flags, 0o600))


def misplaced(path: Path, source: Path) -> str | None:
    """Why an agent in `path` would not work in a worktree of its own; None when it would.

    Its top level is `path`, its directory of administration one that the repository keeps for
    this path, and its branch not the one of the main checkout.
    """
    admin, common = admin_of(path), repository_of(source) or source.resolve()
    if admin is None or not path.is_dir():
        return f"{path} is not the top level of a worktree"
    if admin.resolve().parent != common / "worktrees" or not names(admin, path):
        return f"{path} belongs to another checkout"
    head = _head(admin)
    if head is None or (head == _head(common) and head.startswith("ref: ") and not _bare(source)):
        return f"{path} is on the branch of the main checkout"
    return None


def head_commit(path: Path) -> Commit:
    """The commit that is checked out at `path`; unknown when the files do not tell."""
    git = path / ".git"
    admin = git if git.is_dir() else _admin(git)
    head = _head(admin) if admin is not None else None
    if admin is None or head is None:
        return UNKNOWN
    branch = head.removeprefix("ref: ")
    if branch == head:
        return head
    common = _common(admin) or admin
    if (common / "reftable").exists() or not branch.startswith("refs/heads/"):
        return UNKNOWN
    return _commit_of(common, branch)


def _commit_of(common: Path, branch: str) -> Commit:
    """A loose ref, else a packed one (gitrepository-layout(5)), else a branch without a commit."""
    try:
        return (common / branch).read_text(encoding="ascii").strip()
    except (FileNotFoundError, IsADirectoryError):
        pass
    except (OSError, UnicodeDecodeError):
        return UNKNOWN
    try:
        with (common / "packed-refs").open("rb") as file:
            packed = file.read(MAX_PACKED_REFS_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError:
        return UNKNOWN
    before, found, _ = packed[:MAX_PACKED_REFS_BYTES].partition(b" " + os.fsencode(branch) + b"\n")
    if found:
        return before.rpartition(b"\n")[2].decode("ascii", "replace")
    return None if len(packed) <= MAX_PACKED_REFS_BYTES else UNKNOWN


def _head(admin: Path) -> str | None:
    try:
        return (admin / "HEAD").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _bare(source: Path) -> bool:
    return not (source / ".git").exists()


def vacate(path: Path) -> None:
    """Remove the directory if it is empty."""
    with suppress(OSError):
        path.rmdir()


def _admin(git: Path) -> Path | None:
    """The directory that a worktree's `.git` file names."""
    try:
        return git.parent / git.read_text(encoding="utf-8").strip().removeprefix("gitdir: ")
    except (OSError, UnicodeDecodeError):
        return None


def _common(admin: Path) -> Path | None:
    try:
        return (admin / (admin / "commondir").read_text(encoding="utf-8").strip()).resolve()
    except (OSError, UnicodeDecodeError):
        return None


def repository_of(source: Path) -> Path | None:
    """The directory of the repository that a checkout at `source` belongs to."""
    git = source / ".git"
    if git.is_dir():
        return git.resolve()
    admin = _admin(git)
    return _common(admin) if admin is not None else None


def _is_initializing(admin: Path) -> bool:
    """`git worktree add` locks what it makes, with this reason, until the checkout is done."""
    try:
        return (admin / "locked").read_text(encoding="utf-8").startswith("initializing")
    except (OSError, UnicodeDecodeError):
        return False
