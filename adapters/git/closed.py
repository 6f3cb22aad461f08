"""Mirrors of remotes, clones of the mirrors, and a look at the user's own repositories.

A mirror is bare, no worktree hangs on it, and its configuration is written by us alone; a clone has
worktrees and a configuration that agents may write, and is never given a credential.
"""

import asyncio
import os
import re
import secrets
import shutil
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from adapters.git.closed_command import Closed, ClosedCommands
from adapters.git.lock import repository_lock
from domain.git_command import LOCAL_SECONDS, PROBE_SECONDS, TRANSFER_SECONDS
from domain.git_failure import GitCode, GitFailure
from domain.outcome import Failure, Result, Success, failed
from ports.git import GitProcess, LocalRepository, RemoteAccess

__all__ = ("MirroredGit",)

_HEADS: Final = "refs/heads/*"
_TAGS: Final = "+refs/tags/*:refs/tags/*"
_TRACKED: Final = "refs/remotes/origin/*"
_ORIGIN_URL: Final = r"^remote\.origin\.url$"
_ORIGIN_HEAD: Final = "refs/remotes/origin/HEAD"
_DEFAULT_BRANCH: Final = "main"
_STATUS: Final = ("status", "--porcelain", "--untracked-files=normal")
_QUESTIONS: Final = (
    ("rev-parse", "--show-toplevel"),
    ("config", "--get", "remote.origin.url"),
    ("symbolic-ref", "--quiet", "--short", "HEAD"),
)
"""What is asked of a repository of the user's, all at once."""
_HEAD_LINE: Final = re.compile(r"^ref: refs/heads/(.+)\tHEAD$", re.MULTILINE)
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")

_CLONE: Final = ("clone", "--quiet", "--bare", "--template=", "--")
_FETCH: Final = (
    "fetch",
    "--quiet",
    "--no-auto-maintenance",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-tags",
    "--upload-pack=git-upload-pack",
)
_CONFIGURATION: Final = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
_CONFIGURATION_SHA256: Final = (
    "[core]\n\trepositoryformatversion = 1\n\tfilemode = true\n\tbare = true\n"
    "[extensions]\n\tobjectformat = sha256\n"
)


@dataclass(frozen=True, slots=True)
class MirroredGit:
    """`ports.git.ClosedGit`.

    `mirrors`, `clones` and `temporary` lie on one file system; `parent` is the environment of the
    control plane, seen whole only by a look at the user's repositories.
    """

    git: GitProcess
    closed: ClosedCommands
    mirrors: Path
    clones: Path
    temporary: Path
    parent: Mapping[str, str] = field(repr=False)

    async def probe(self, remote: RemoteAccess) -> Result[str, GitFailure]:
        async with self.closed.remote(remote) as run:
            return await _default_branch(run, remote.url)

    async def mirror(self, name: str, remote: RemoteAccess) -> Result[str, GitFailure]:
        mirror = _below(self.mirrors, name)
        async with repository_lock(mirror) as locked, self.closed.remote(remote) as run:
            if failed(locked):
                return locked
            if await asyncio.to_thread(mirror.is_dir):
                return await _refresh_mirror(run, mirror, remote.url)
            async with self._new(mirror) as fresh:
                made = await run([*_CLONE, remote.url, os.fspath(fresh)], seconds=TRANSFER_SECONDS)
                if failed(made):
                    return made
                _own_configuration(fresh)
                fresh.rename(mirror)
            return Success(os.fspath(mirror))

    async def clone_of(self, name: str, mirror: str, origin: str) -> Result[str, GitFailure]:
        clone = _below(self.clones, name)
        async with repository_lock(clone) as locked, self.closed.local() as run:
            if failed(locked):
                return locked
            if await asyncio.to_thread(clone.is_dir):
                return await _track(run, clone, mirror)
            async with self._new(clone) as fresh:
                made = await _new_clone(run, fresh, mirror, origin)
                if failed(made):
                    return made
                fresh.rename(clone)
            return Success(os.fspath(clone))

    async def point_origin(self, name: str, origin: str) -> Result[None, GitFailure]:
        clone = _below(self.clones, name)
        async with repository_lock(clone) as locked, self.closed.local() as run:
            if failed(locked):
                return locked
            listed = await run(
                ["config", "--local", "--null", "--get-regexp", _ORIGIN_URL],
                repository=clone,
                seconds=LOCAL_SECONDS,
            )
            # Git says nothing and fails where there is none.
            known = "" if failed(listed) else listed.unwrap().stdout
            if known == f"remote.origin.url\n{origin}\0":
                return Success(None)
            written = await run(
                ["config", "--local", "--replace-all", "remote.origin.url", origin],
                repository=clone,
                seconds=LOCAL_SECONDS,
            )
            return written.map(lambda _: None)

    async def fetch_head(
        self, name: str, remote: RemoteAccess, heads: Sequence[str], kept: str
    ) -> Result[None, GitFailure]:
        mirror, clone = _below(self.mirrors, name), _below(self.clones, name)
        async with repository_lock(mirror) as locked, self.closed.remote(remote) as run:
            if failed(locked):
                return locked
            fetched = await _fetch_first(run, mirror, remote.url, heads, kept)
        if failed(fetched):
            return fetched
        async with repository_lock(clone) as locked, self.closed.local() as run:
            if failed(locked):
                return locked
            return await _fetch_first(run, clone, os.fspath(mirror), [kept], kept)

    def clone_path(self, name: str) -> str:
        return os.fspath(_below(self.clones, name))

    async def is_dirty(self, path: str) -> Result[bool, GitFailure]:
        status = await self._look(path, *_STATUS)
        if failed(status) and status.failure().code is GitCode.TOO_MUCH_OUTPUT:
            return Success(True)
        return status.map(bool)

    async def inspect(self, path: str) -> Result[LocalRepository, GitFailure]:
        async with asyncio.TaskGroup() as group:
            asking = [group.create_task(self._look(path, *question)) for question in _QUESTIONS]
        top, origin, branch = (each.result() for each in asking)
        if failed(top):
            return top
        return Success(
            LocalRepository(
                path=top.unwrap(),
                origin=None if failed(origin) else origin.unwrap(),
                branch="HEAD" if failed(branch) else branch.unwrap(),
            )
        )

    async def _look(self, directory: str, *arguments: str) -> Result[str, GitFailure]:
        """With the user's own configuration, which says whom git trusts, and nothing written."""
        looked = await self.git(
            ["--no-optional-locks", "-c", "core.fsmonitor=false", *arguments],
            directory=directory,
            environment=self.parent,
            seconds=LOCAL_SECONDS,
        )
        return looked.map(lambda completed: completed.stdout.removesuffix("\n"))

    @asynccontextmanager
    async def _new(self, target: Path) -> AsyncGenerator[Path]:
        """A place to make `target` in before it is renamed; removed when it still lies there."""
        fresh = self.temporary / f"{target.name}-{secrets.token_hex(8)}"
        try:
            yield fresh
        finally:
            await asyncio.to_thread(shutil.rmtree, fresh, ignore_errors=True)


def _below(directory: Path, name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise ValueError("a repository is named by its id")
    return directory / name


async def _default_branch(run: Closed, url: str) -> Result[str, GitFailure]:
    asked = await run(["ls-remote", "--symref", "--", url, "HEAD"], seconds=PROBE_SECONDS)
    if failed(asked):
        return asked
    head = _HEAD_LINE.search(asked.unwrap().stdout)
    return Success(head[1] if head else _DEFAULT_BRANCH)


async def _refresh_mirror(run: Closed, mirror: Path, url: str) -> Result[str, GitFailure]:
    _own_configuration(mirror)
    fetched = await run(
        [*_FETCH, "--prune", "--", url, f"+{_HEADS}:{_HEADS}", _TAGS],
        repository=mirror,
        seconds=TRANSFER_SECONDS,
    )
    if failed(fetched):
        return fetched
    here = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]
    if failed(await run(here, repository=mirror, seconds=LOCAL_SECONDS)):
        # The default branch has gone: the remote has another now, unless it has no commit at all.
        asked = await _default_branch(run, url)
        if not failed(asked):
            head = ["symbolic-ref", "HEAD", f"refs/heads/{asked.unwrap()}"]
            await run(head, repository=mirror, seconds=LOCAL_SECONDS)
    # What is left untidied now is tidied the next time.
    await run(["gc", "--auto", "--quiet"], repository=mirror, seconds=LOCAL_SECONDS)
    return Success(os.fspath(mirror))


async def _fetch_first(
    run: Closed, repository: Path, url: str, heads: Sequence[str], kept: str
) -> Result[None, GitFailure]:
    fetched: Result[None, GitFailure] = Failure(GitFailure(GitCode.UNKNOWN_BRANCH, ""))
    for head in heads:
        done = await run(
            [*_FETCH, "--", url, f"+{head}:{kept}"], repository=repository, seconds=TRANSFER_SECONDS
        )
        fetched = done.map(lambda _: None)
        if not failed(fetched) or fetched.failure().code is not GitCode.UNKNOWN_BRANCH:
            break
    return fetched


def _own_configuration(mirror: Path) -> None:
    """Put the mirror's configuration to what we wrote, whatever it says now."""
    file = mirror / "config"
    found = file.read_text(encoding="utf-8", errors="replace")
    wanted = _CONFIGURATION_SHA256 if "sha256" in found else _CONFIGURATION
    if found != wanted:
        written = mirror / f"config.{secrets.token_hex(8)}"
        written.write_text(wanted, encoding="utf-8")
        written.replace(file)


async def _new_clone(run: Closed, clone: Path, mirror: str, origin: str) -> Result[str, GitFailure]:
    """A bare repository whose branches are the remote's: its own are made for tasks."""
    steps = (
        (None, [*_CLONE, mirror, os.fspath(clone)]),
        (clone, ["config", "remote.origin.url", origin]),
        (clone, ["config", "remote.origin.fetch", f"+{_HEADS}:{_TRACKED}"]),
        (clone, ["for-each-ref", "--format=delete %(refname)", "refs/heads"]),
    )
    last = ""
    for repository, arguments in steps:
        done = await run(arguments, repository=repository, seconds=LOCAL_SECONDS)
        if failed(done):
            return done
        last = done.unwrap().stdout
    tracked = await _track(run, clone, mirror)
    if failed(tracked):
        return tracked
    emptied = await run(
        ["update-ref", "--stdin"], repository=clone, seconds=LOCAL_SECONDS, stdin=last.encode()
    )
    return emptied if failed(emptied) else tracked


async def _track(run: Closed, clone: Path, mirror: str) -> Result[str, GitFailure]:
    """Move what the clone knows of the remote; a tag that only the clone has stays."""
    for refspec, prune in ((f"+{_HEADS}:{_TRACKED}", "--prune"), (_TAGS, "--no-prune")):
        fetched = await run(
            [*_FETCH, prune, "--", mirror, refspec], repository=clone, seconds=LOCAL_SECONDS
        )
        if failed(fetched):
            return fetched
    pointed = await _point_head(run, clone, Path(mirror))
    return pointed if failed(pointed) else Success(os.fspath(clone))


async def _point_head(run: Closed, clone: Path, mirror: Path) -> Result[None, GitFailure]:
    head = await run(["symbolic-ref", "--short", "HEAD"], repository=mirror, seconds=LOCAL_SECONDS)
    if failed(head):
        return head
    branch = f"refs/remotes/origin/{head.unwrap().stdout.strip()}"
    pointed = await run(
        ["symbolic-ref", _ORIGIN_HEAD, branch], repository=clone, seconds=LOCAL_SECONDS
    )
    return pointed.map(lambda _: None)
