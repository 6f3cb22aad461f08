"""What lies where a worktree should be, told from its files alone (gitrepository-layout(5))."""

from contextlib import suppress
from enum import Enum, auto
from pathlib import Path

__all__ = ("Found", "look", "vacate")


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
    if admin is None or _common(admin) not in {_repository(source), source.resolve()}:
        return Found.OTHER
    return Found.HALF_MADE if _is_initializing(admin) else Found.OURS


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


def _repository(source: Path) -> Path | None:
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
