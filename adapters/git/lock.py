"""A repository is worked on by one process at a time: a lock that others respect, with a bound."""

import asyncio
import fcntl
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from domain.git_command import LOCK_SECONDS
from domain.git_failure import GitCode, GitFailure
from domain.outcome import Failure, Result, Success

__all__ = ("repository_lock", "worktree_lock")

_FIRST_PAUSE: Final = 0.005
_LONGEST_PAUSE: Final = 0.1


@asynccontextmanager
async def repository_lock(
    repository: Path, seconds: float = LOCK_SECONDS
) -> AsyncGenerator[Result[None, GitFailure]]:
    """Hold `flock` on `<repository>.lock`; a failure when it stays with another for `seconds`.

    The file stays, since whoever waits for it must wait for the same one.
    """
    path = f"{repository}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        if await _taken(descriptor, seconds):
            yield Success(None)
        else:
            yield Failure(GitFailure(GitCode.LOCK_HELD, f"{repository.name}.lock"))
    finally:
        os.close(descriptor)


@asynccontextmanager
async def worktree_lock(
    repository: str, seconds: float = LOCK_SECONDS
) -> AsyncGenerator[Result[None, GitFailure]]:
    """`ports.git.RepositoryLock`: the lock of the clone itself, or of the user's own repository.

    Of the user's it lies in the directory that all its worktrees share, where nobody looks.
    """
    path = await asyncio.to_thread(_locked_name, Path(repository))
    if path is None:
        yield Success(None)
        return
    async with repository_lock(path, seconds) as locked:
        yield locked


def _locked_name(repository: Path) -> Path | None:
    if not repository.is_dir():
        return None
    git = repository / ".git"
    if git.is_dir():
        return git / "kandev"
    if not git.is_file():
        return repository
    try:
        admin = repository / git.read_text(encoding="utf-8").strip().removeprefix("gitdir: ")
        common = (admin / "commondir").read_text(encoding="utf-8").strip()
        return (admin / common).resolve(strict=True) / "kandev"
    except (OSError, UnicodeDecodeError):
        return None


async def _taken(descriptor: int, seconds: float) -> bool:
    """The kernel has no wait with a bound, so ask again, ever less often."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    pause = _FIRST_PAUSE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if loop.time() >= end:
                return False
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        else:
            return True
