"""Files in a session's checkouts, for a person: looks, and writes that need an instance."""

from dataclasses import dataclass
from typing import TypeAlias

from domain import checkout_file
from domain.access import NotFound
from domain.checkout_file import (
    Content,
    Directory,
    InvalidContent,
    InvalidQuery,
    Matches,
    Search,
    Write,
    Written,
)
from domain.identity import SessionId
from domain.outcome import Result, failed
from domain.principal import Principal
from domain.worktree_path import InvalidPath
from pipelines.ensure_instance import EnsureInstance, EnsureProblem
from ports.instance_files import FileProblem, InstanceFiles
from ports.instance_git import GitProblem

__all__ = ("LookAtFiles", "LookAtFilesProblem", "WriteFile", "WriteFileProblem")

LookAtFilesProblem: TypeAlias = NotFound | FileProblem | GitProblem | InvalidPath | InvalidQuery
WriteFileProblem: TypeAlias = EnsureProblem | FileProblem | InvalidPath | InvalidContent


@dataclass(frozen=True, slots=True)
class LookAtFiles:
    """A look starts nothing: without an instance it says so."""

    ensure: EnsureInstance
    files: InstanceFiles

    async def list(
        self, principal: Principal, session: SessionId, folder: str | None, path: str
    ) -> Result[Directory, LookAtFilesProblem]:
        checked = checkout_file.check_place(path)
        if failed(checked):
            return checked
        handle = await self.ensure.present(principal, session)
        return handle if failed(handle) else await self.files.list(handle.unwrap(), folder, path)

    async def read(
        self, principal: Principal, session: SessionId, folder: str | None, path: str
    ) -> Result[Content, LookAtFilesProblem]:
        checked = checkout_file.check_place(path)
        if failed(checked):
            return checked
        handle = await self.ensure.present(principal, session)
        return handle if failed(handle) else await self.files.read(handle.unwrap(), folder, path)

    async def search(
        self, principal: Principal, session: SessionId, folder: str | None, search: Search
    ) -> Result[Matches, LookAtFilesProblem]:
        checked = checkout_file.check_search(search)
        if failed(checked):
            return checked
        handle = await self.ensure.present(principal, session)
        if failed(handle):
            return handle
        return await self.files.search(handle.unwrap(), folder, search)


@dataclass(frozen=True, slots=True)
class WriteFile:
    ensure: EnsureInstance
    files: InstanceFiles

    async def __call__(
        self, principal: Principal, session: SessionId, folder: str | None, write: Write
    ) -> Result[Written, WriteFileProblem]:
        """Write it in the instance of the session, which is started where none runs."""
        checked = checkout_file.check_write(write)
        if failed(checked):
            return checked
        handle = await self.ensure(principal, session)
        return handle if failed(handle) else await self.files.write(handle.unwrap(), folder, write)
