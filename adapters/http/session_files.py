"""Routes of the files of a session: list, read, write, search."""

from typing import Annotated

import msgspec
from litestar import Controller, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, SkipValidation

from adapters.http.api import Api
from adapters.http.problems import accepted
from domain.checkout_file import (
    Content,
    Directory,
    Encoding,
    Matches,
    Search,
    SearchIn,
    Write,
    Written,
)
from domain.identity import SessionId
from domain.principal import Principal

__all__ = ("SessionFiles",)

Folder = Annotated[
    str | None, QueryParameter(description="The repository's folder, where there are several.")
]
Who = NamedDependency[SkipValidation[Principal]]


class NewContent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`replaces` is the digest of what the file holds now, null of a file that is not there."""

    path: str
    content: str
    encoding: Encoding = Encoding.UTF_8
    replaces: str | None = None


class SessionFiles(Controller):
    path = "/api/v1/sessions/{session_id:str}/files"
    tags = ("files",)

    @get()
    async def listing(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: Who,
        repository: Folder = None,
        path: FromQuery[str] = "",
    ) -> Directory:
        """What is in a directory of the worktree, without a `path` in the worktree itself."""
        session = SessionId(session_id)
        return accepted(await api.look_at_files.list(principal, session, repository, path))

    @get("/content")
    async def content(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: Who,
        path: FromQuery[str],
        repository: Folder = None,
    ) -> Content:
        session = SessionId(session_id)
        return accepted(await api.look_at_files.read(principal, session, repository, path))

    @put("/content")
    async def write(
        self,
        session_id: FromPath[str],
        data: JSONBody[NewContent],
        api: NamedDependency[Api],
        principal: Who,
        repository: Folder = None,
    ) -> Written:
        """Write a file in one step, if it still holds what the writer saw."""
        write = Write(data.path, data.content, data.encoding, data.replaces)
        return accepted(await api.write_file(principal, SessionId(session_id), repository, write))

    @get("/search")
    async def search(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: Who,
        text: FromQuery[str],
        repository: Folder = None,
        within: FromQuery[SearchIn] = SearchIn.CONTENT,
        path: FromQuery[str | None] = None,
    ) -> Matches:
        """Find a text as it is written, in lines of files or in their paths."""
        search = Search(text, within, path)
        session = SessionId(session_id)
        return accepted(await api.look_at_files.search(principal, session, repository, search))
