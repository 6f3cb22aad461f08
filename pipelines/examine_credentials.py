"""Examine the credentials of a session: who answers git, and what could still go around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from domain import credential_snapshot, push_verdict
from domain.access import NotFound
from domain.credential_doctor import Diagnosis, Examined
from domain.credential_snapshot import CredentialSnapshot
from domain.identity import SessionId
from domain.open_channels import OpenChannel
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal
from domain.push_verdict import Tally
from domain.session import Session
from pipelines.authority import session_for
from pipelines.begin_turn import handle_of
from ports.runtime import Runtime, RuntimeCode, RuntimeProblem
from ports.store import Reader, Store

__all__ = ("CredentialReport", "ExamineCredentials", "ExamineProblem")

ExamineProblem: TypeAlias = NotFound | RuntimeProblem


@dataclass(frozen=True, slots=True)
class CredentialReport:
    """`snapshot` is what the session disclosed at its start, the rest is true now.

    `pushes` are those since that start, none where nothing is managed.
    """

    snapshot: CredentialSnapshot | None
    pushes: Tally | None
    repositories: tuple[Diagnosis, ...]
    channels: tuple[OpenChannel, ...]


@dataclass(frozen=True, slots=True)
class ExamineCredentials:
    store: Store
    runtime: Runtime

    async def __call__(
        self, principal: Principal, session: SessionId
    ) -> Result[CredentialReport, ExamineProblem]:
        """Ask git in the running instance; a redemption of it is in the ledger like any other."""
        async with self.store.read() as state:
            found = await session_for(state, principal, session)
            if found is None:
                return Failure(NotFound("session"))
            examined = await repositories_of(state, found)
        handle = handle_of(found)
        if handle is None:
            detail = f"the session is {found.state.value}: no agent runs in it"
            return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, detail))
        diagnosed = await self.runtime.examine_credentials(handle, examined)
        if failed(diagnosed):
            return diagnosed
        configuration = await self.runtime.git_configuration(handle)
        if failed(configuration):
            return configuration
        disclosed = credential_snapshot.load(found.metadata.get(credential_snapshot.KEY))
        channels = configuration.unwrap().channels
        pushes = push_verdict.load(found.metadata.get(push_verdict.KEY))
        return Success(CredentialReport(disclosed, pushes, tuple(diagnosed.unwrap()), channels))


async def repositories_of(state: Reader, session: Session) -> Sequence[Examined]:
    """The repositories of the session's task that have an identity, with their folders."""
    task = await state.task(session.task)
    attached = task.repositories if task else ()
    known = [await state.repository(each.repository) for each in attached]
    return [
        Examined(each.id, each.identity, "" if len(attached) == 1 else each.name)
        for each in known
        if each is not None and each.identity is not None
    ]
