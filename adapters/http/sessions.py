"""Routes of sessions: look, talk, cancel, answer, stop, resume."""

from typing import Annotated

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, SkipValidation

from adapters.http.api import Api
from adapters.http.problems import RefusalError, accepted
from adapters.http.profiles import named
from adapters.http.shapes import SessionBody, TurnBody
from domain.access import NotFound
from domain.git_configuration import GitConfiguration
from domain.identity import SessionId, TurnId
from domain.principal import Principal
from domain.session import Session
from pipelines.authority import session_for
from pipelines.examine_credentials import CredentialReport
from pipelines.resume_session import ResumeRequest

__all__ = ("Sessions",)

PAGE = 100
"""Rows of a list at most; `after` continues behind the last id."""


class NewPrompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str


class PermissionAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the offered options, or null to cancel the request."""

    option_id: str | None


class Resumption(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`fresh` forgets the agent's conversation; a profile takes the place of the session's."""

    environment: dict[str, str] = {}
    approve_automatically: bool = False
    fresh: bool = False
    agent_profile_id: str | None = None
    executor_profile_id: str | None = None


class Sessions(Controller):
    path = "/api/v1/sessions"
    tags = ("sessions",)

    @get("/{session_id:str}")
    async def show(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> SessionBody:
        return SessionBody.of(await found(api, principal, session_id))

    @get("/{session_id:str}/turns")
    async def turns(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=PAGE)] = PAGE,
    ) -> list[TurnBody]:
        session = await found(api, principal, session_id)
        seen = TurnId(after) if after is not None else None
        async with api.store.read() as state:
            return [TurnBody.of(each) for each in await state.turns(session.id, seen, limit)]

    @get("/{session_id:str}/credential-doctor")
    async def credential_doctor(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> CredentialReport:
        """Have git ask for the credential of each repository: who answers, and who was skipped."""
        return accepted(await api.examine_credentials(principal, SessionId(session_id)))

    @get("/{session_id:str}/git-configuration")
    async def git_configuration(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> GitConfiguration:
        """What git sees in the session, where each entry came from, and what stays open."""
        return accepted(await api.explain_git(principal, SessionId(session_id)))

    @post("/{session_id:str}/prompt", status_code=202)
    async def prompt(
        self,
        session_id: FromPath[str],
        data: JSONBody[NewPrompt],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> TurnBody:
        outcome = await api.prompt(principal, SessionId(session_id), data.text)
        return TurnBody.of(accepted(outcome))

    @post("/{session_id:str}/cancel", status_code=202)
    async def cancel(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> SessionBody:
        """Ask the agent to end its turn; how it ended arrives as an event."""
        accepted(await api.cancel(principal, SessionId(session_id)))
        return SessionBody.of(await found(api, principal, session_id))

    @post("/{session_id:str}/permissions/{request_id:str}", status_code=200)
    async def answer(
        self,
        session_id: FromPath[str],
        request_id: FromPath[str],
        data: JSONBody[PermissionAnswer],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> SessionBody:
        outcome = await api.answer(principal, SessionId(session_id), request_id, data.option_id)
        accepted(outcome)
        return SessionBody.of(await found(api, principal, session_id))

    @post("/{session_id:str}/stop", status_code=200)
    async def stop(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> SessionBody:
        accepted(await api.stop(principal, SessionId(session_id)))
        return SessionBody.of(await found(api, principal, session_id))

    @post("/{session_id:str}/resume", status_code=200)
    async def resume(
        self,
        session_id: FromPath[str],
        data: JSONBody[Resumption],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> SessionBody:
        request = ResumeRequest(
            SessionId(session_id),
            data.environment,
            data.approve_automatically,
            data.fresh,
            named(data.agent_profile_id, data.executor_profile_id),
        )
        return SessionBody.of(accepted(await api.resume(principal, request)))


async def found(api: Api, principal: Principal, session_id: str) -> Session:
    """The session, if the principal works in the workspace of its task."""
    async with api.store.read() as state:
        session = await session_for(state, principal, SessionId(session_id))
    if session is None:
        raise RefusalError(NotFound("session"))
    return session
