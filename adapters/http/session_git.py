"""Routes of the git of a session: what changed, and changes that a person makes."""

from enum import StrEnum
from typing import Annotated

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, SkipValidation

from adapters.http.api import Api
from adapters.http.problems import accepted
from domain.git_change import Change, Commit, Discard, Done, Fetch, Push, Stage, Unstage
from domain.git_diff import DiffRequest, GitDiff
from domain.git_history import LoggedCommit, LogRequest
from domain.git_status import GitStatus
from domain.identity import SessionId
from domain.principal import Principal

__all__ = ("SessionGit",)

Folder = Annotated[
    str | None, QueryParameter(description="The repository's folder, where there are several.")
]
Who = NamedDependency[SkipValidation[Principal]]


class Paths(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files and directories, taken literally; null is everything."""

    paths: list[str] | None = None


class Included(StrEnum):
    STAGED = "staged"
    TRACKED = "tracked"


class NewCommit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`tracked` also commits what is changed and not staged, in files that git tracks."""

    message: str
    include: Included = Included.STAGED


class FetchFrom(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    remote: str = "origin"


class Force(StrEnum):
    NONE = "none"
    WITH_LEASE = "with_lease"


class PushTo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`with_lease` replaces what the remote has, if that is what was fetched last."""

    remote: str = "origin"
    force: Force = Force.NONE


class SessionGit(Controller):
    path = "/api/v1/sessions/{session_id:str}/git"
    tags = ("git",)

    @get("/status")
    async def status(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: Who,
        repository: Folder = None,
    ) -> GitStatus:
        """What differs from HEAD, and how the branch stands to its upstream."""
        return accepted(await api.look_at_git.status(principal, SessionId(session_id), repository))

    @get("/diff")
    async def diff(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: Who,
        repository: Folder = None,
        staged: FromQuery[bool] = False,
        base: FromQuery[str | None] = None,
        path: FromQuery[list[str] | None] = None,
    ) -> GitDiff:
        """Patches of what is not staged, of what is, or of everything since `base`."""
        request = DiffRequest(staged, base, tuple(path or ()))
        session = SessionId(session_id)
        return accepted(await api.look_at_git.diff(principal, session, repository, request))

    @get("/log")
    async def log(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: Who,
        repository: Folder = None,
        base: FromQuery[str | None] = None,
        limit: FromQuery[int] = 50,
    ) -> tuple[LoggedCommit, ...]:
        """The newest commits; with `base` only those that it does not have."""
        request = LogRequest(limit, base)
        session = SessionId(session_id)
        return accepted(await api.look_at_git.log(principal, session, repository, request))

    @post("/stage", status_code=200)
    async def stage(
        self,
        session_id: FromPath[str],
        data: JSONBody[Paths],
        api: NamedDependency[Api],
        principal: Who,
        repository: Folder = None,
    ) -> Done:
        return await _change(api, principal, session_id, repository, Stage(_paths(data)))

    @post("/unstage", status_code=200)
    async def unstage(
        self,
        session_id: FromPath[str],
        data: JSONBody[Paths],
        api: NamedDependency[Api],
        principal: Who,
        repository: Folder = None,
    ) -> Done:
        return await _change(api, principal, session_id, repository, Unstage(_paths(data)))

    @post("/discard", status_code=200)
    async def discard(
        self,
        session_id: FromPath[str],
        data: JSONBody[Paths],
        api: NamedDependency[Api],
        principal: Who,
        repository: Folder = None,
    ) -> Done:
        """Put files and index back to HEAD; `kept` names the ref that has what went."""
        return await _change(api, principal, session_id, repository, Discard(_paths(data)))

    @post("/commit", status_code=200)
    async def commit(
        self,
        session_id: FromPath[str],
        data: JSONBody[NewCommit],
        api: NamedDependency[Api],
        principal: Who,
        repository: Folder = None,
    ) -> Done:
        """Commit with the author and the hooks that the agent's own git has."""
        change = Commit(data.message, everything=data.include is Included.TRACKED)
        return await _change(api, principal, session_id, repository, change)

    @post("/fetch", status_code=200)
    async def fetch(
        self,
        session_id: FromPath[str],
        data: JSONBody[FetchFrom],
        api: NamedDependency[Api],
        principal: Who,
        repository: Folder = None,
    ) -> Done:
        return await _change(api, principal, session_id, repository, Fetch(data.remote))

    @post("/push", status_code=200)
    async def push(
        self,
        session_id: FromPath[str],
        data: JSONBody[PushTo],
        api: NamedDependency[Api],
        principal: Who,
        repository: Folder = None,
    ) -> Done:
        """Push what is checked out, with the credential that the agent's own git would get."""
        change = Push(data.remote, with_lease=data.force is Force.WITH_LEASE)
        return await _change(api, principal, session_id, repository, change)


def _paths(given: Paths) -> tuple[str, ...] | None:
    return None if given.paths is None else tuple(given.paths)


async def _change(
    api: Api, principal: Principal, session_id: str, folder: str | None, change: Change
) -> Done:
    return accepted(await api.change_git(principal, SessionId(session_id), folder, change))
