"""Compare a new worktree with a fresh checkout, and repair what is cheap: hooks that git ignores.

Git is asked in the environment of the agent, with whose configuration the agent will work. What
cannot be told is left out. Nothing is fetched, and no program of the repository is run.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from adapters.agentctl import wire
from adapters.agentctl.server import copied_files
from domain.copy_files import CopyEntry
from domain.outcome import failed
from domain.parity import Difference, DifferenceKind, difference
from ports.git import GitProcess

__all__ = ("Comparing",)

QUESTION_SECONDS: Final = 30.0
"""For a question about every file of a worktree."""

MAX_ATTRIBUTES_BYTES: Final = 1024 * 1024
"""What is read of the attributes of a repository."""

MAX_POINTERS: Final = 1_000
"""Files of Git LFS that are looked into."""

_POINTER: Final = b"version https://git-lfs.github.com/spec/v1"
_HOOKS: Final = "core.hookspath"
_SPARSE: Final = "core.sparsecheckout"


@dataclass(frozen=True, slots=True)
class Comparing:
    """`path` is the new worktree; `environment` that of the agent."""

    git: GitProcess
    checkout: wire.Checkout
    path: Path
    environment: Mapping[str, str]

    async def __call__(self) -> tuple[Difference, ...]:
        settings = await self._settings()
        found = [
            await self._hooks(settings.get(_HOOKS)),
            await self._submodules(),
            await self._lfs(),
            await self._sparse() if settings.get(_SPARSE) == "true" else None,
            await asyncio.to_thread(self._linked),
        ]
        return tuple(each for each in found if each is not None)

    async def _settings(self) -> dict[str, str]:
        """Those that matter here, by their names in lower case; the last one holds."""
        names = rf"^core\.({_HOOKS.removeprefix('core.')}|{_SPARSE.removeprefix('core.')})$"
        listed = await self._ask(self.path, "config", "--null", "--get-regexp", names)
        pairs = (each.partition("\n") for each in listed)
        return {name: value or "true" for name, _, value in pairs}

    async def _hooks(self, configured: str | None) -> Difference | None:
        """Relative ones are sought in each checkout (githooks(5)); git is silent where none are."""
        if configured is None:
            return None
        told = await self._ask(self.path, "rev-parse", "--git-path", "hooks")
        there = self.path / "".join(told).removesuffix("\n")
        if await asyncio.to_thread(there.is_dir):
            return None
        repaired = await self._repaired(configured)
        return difference(DifferenceKind.HOOKS_NOT_ARMED, [configured], repaired=repaired)

    async def _repaired(self, configured: str) -> bool:
        """Copy a folder of hooks that the main checkout has, where git sees none of its files."""
        folder, source = Path(configured), Path(self.checkout.source)
        if folder.is_absolute() or ".." in folder.parts or not (source / folder).is_dir():
            return False
        question = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--")
        seen = await self.git(
            [*question, configured],
            directory=str(source),
            environment=self.environment,
            seconds=QUESTION_SECONDS,
        )
        if failed(seen) or seen.unwrap().stdout:
            return False
        entry = CopyEntry(configured)
        await asyncio.to_thread(copied_files.give, [entry], source, self.path)
        return (self.path / folder).is_dir()

    async def _submodules(self) -> Difference | None:
        if not await asyncio.to_thread((self.path / ".gitmodules").is_file):
            return None
        listed = await self._ask(self.path, "ls-files", "-z", "--stage")
        names = [each.partition("\t")[2] for each in listed if each.startswith("160000 ")]
        empty = await asyncio.to_thread(self._chosen, names, _is_empty)
        return difference(DifferenceKind.SUBMODULES_NOT_FETCHED, empty)

    async def _lfs(self) -> Difference | None:
        """Where the attributes of the root name Git LFS."""
        if not await asyncio.to_thread(_names_lfs, self.path / ".gitattributes"):
            return None
        listed = await self._ask(self.path, "ls-files", "-z", "--", ":(attr:filter=lfs)")
        names = list(islice(listed, MAX_POINTERS))
        pointers = await asyncio.to_thread(self._chosen, names, _is_pointer)
        return difference(DifferenceKind.LFS_NOT_FETCHED, pointers)

    async def _sparse(self) -> Difference | None:
        listed = await self._ask(self.path, "ls-files", "-z", "-t")
        left_out = [each[2:] for each in listed if each.startswith("S ")]
        return difference(DifferenceKind.SPARSE, left_out)

    def _linked(self) -> Difference | None:
        entries = [CopyEntry(each.pattern, each.symlink) for each in self.checkout.copies]
        names = copied_files.linked(entries, Path(self.checkout.source), self.path)
        return difference(DifferenceKind.LINKED, names)

    def _chosen(self, names: Sequence[str], holds: Callable[[Path], bool]) -> list[str]:
        return [each for each in names if holds(self.path / each)]

    async def _ask(self, directory: Path, *arguments: str) -> list[str]:
        """What git lists, which NULs separate; nothing where it fails."""
        asked = await self.git(
            ["--no-optional-locks", "-c", "core.fsmonitor=false", *arguments],
            directory=str(directory),
            environment=self.environment,
            seconds=QUESTION_SECONDS,
        )
        return [] if failed(asked) else [each for each in asked.unwrap().stdout.split("\0") if each]


def _is_empty(path: Path) -> bool:
    try:
        return not path.is_symlink() and not any(path.iterdir())
    except OSError:
        return False


def _is_pointer(path: Path) -> bool:
    return not path.is_symlink() and path.is_file() and _begins(path, len(_POINTER)) == _POINTER


def _names_lfs(attributes: Path) -> bool:
    if attributes.is_symlink() or not attributes.is_file():
        return False
    return b"filter=lfs" in _begins(attributes, MAX_ATTRIBUTES_BYTES)


def _begins(path: Path, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""
