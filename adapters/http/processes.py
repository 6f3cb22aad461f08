"""Routes of a session's background commands. No answer holds a value of an environment."""

from typing import Annotated

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter, SkipValidation

from adapters.http.api import Api
from adapters.http.problems import accepted
from domain.background import Background, BackgroundOutput
from domain.identity import SessionId
from domain.principal import Principal

__all__ = ("Processes",)


class NewProcess(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`command` is run by `/bin/sh`; `folder` is relative to the directory of the agent."""

    command: str
    folder: str = ""


class Processes(Controller):
    path = "/api/v1/sessions/{session_id:str}/processes"
    tags = ("sessions",)

    @post()
    async def start(
        self,
        session_id: FromPath[str],
        data: JSONBody[NewProcess],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> Background:
        """Run a command beside the agent, in its environment; it ends with the agent."""
        session = SessionId(session_id)
        return accepted(await api.processes.start(principal, session, data.command, data.folder))

    @get()
    async def list_all(
        self,
        session_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> list[Background]:
        return list(accepted(await api.processes.all(principal, SessionId(session_id))))

    @get("/{process_id:str}/output")
    async def output(
        self,
        session_id: FromPath[str],
        process_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
    ) -> BackgroundOutput:
        """What it has written after its first `after` bytes; ask next after `next`."""
        session = SessionId(session_id)
        return accepted(await api.processes.output(principal, session, process_id, after))

    @post("/{process_id:str}/stop", status_code=200)
    async def stop(
        self,
        session_id: FromPath[str],
        process_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> Background:
        """End it with all its descendants."""
        return accepted(await api.processes.stop(principal, SessionId(session_id), process_id))
