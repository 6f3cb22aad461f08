"""Issue a lease: authorise against the live state, bind, store, write down.

What is refused is written down too. The lease and its entry are durable together, or neither is.
"""

from dataclasses import dataclass

from domain.capability import Claims, may_reissue
from domain.connection import Connection, serving
from domain.identity import ExecutionId, LeaseId, RepositoryId
from domain.lease import (
    LEASE_LIFE,
    TOKEN_BYTES,
    Authority,
    LeaseRecord,
    LeaseRefusal,
    Scope,
    digest,
    may_issue,
    token,
)
from domain.ledger import GRANTED, Operation, of_scope
from domain.outcome import Result, Success, failed
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from domain.session import LIVE
from ports.clock import Clock
from ports.credentials import CredentialRequest
from ports.ids import Ids
from ports.redactor import Redactor
from ports.store import Reader, Writer

__all__ = ("REISSUED", "IssueLease", "authority_of")

REISSUED = "reissued"
"""The detail of a lease that was issued from a capability."""


@dataclass(frozen=True, slots=True)
class IssueLease:
    redactor: Redactor
    clock: Clock
    ids: Ids

    async def __call__(self, unit: Writer, scope: Scope) -> Result[Secret, LeaseRefusal]:
        """A lease for a scope, in the unit that makes its execution."""
        authority = await authority_of(unit, scope.execution, scope.identity)
        live = await unit.live_leases(scope.workspace, self.clock.now())
        entitled = may_issue(scope, authority, live)
        return await self._issued(unit, scope, entitled, authority, "")

    async def again(
        self, unit: Writer, claims: Claims, request: CredentialRequest
    ) -> Result[Secret, LeaseRefusal]:
        """A lease for what a capability claims, if its holder may still have one."""
        now = self.clock.now()
        authority = await authority_of(unit, request.execution, request.identity)
        live = await unit.live_leases(claims.scope.workspace, now)
        entitled = may_reissue(claims, authority, request.execution, request.identity, live, now)
        return await self._issued(unit, claims.scope, entitled, authority, REISSUED)

    async def _issued(
        self,
        unit: Writer,
        scope: Scope,
        entitled: Result[Connection, LeaseRefusal],
        authority: Authority | None,
        detail: str,
    ) -> Result[Secret, LeaseRefusal]:
        now = self.clock.now()
        connection = authority.connection if authority else None
        entry = of_scope(
            now,
            Operation.ISSUE,
            scope,
            connection.login if connection else None,
            result=entitled.failure().code.value if failed(entitled) else GRANTED,
            detail=detail,
        )
        await unit.record([entry])
        if failed(entitled):
            return entitled
        shown = token(self.ids.random(TOKEN_BYTES))
        self.redactor.register(shown)
        await unit.put_lease(
            LeaseRecord(
                id=LeaseId(self.ids.new("lease")),
                token_hash=digest(shown),
                scope=scope,
                connection=entitled.unwrap().id,
                revision=entitled.unwrap().revision,
                issued_at=now,
                expires_at=now + LEASE_LIFE,
            )
        )
        return Success(shown)


async def authority_of(
    state: Reader, execution: ExecutionId, identity: RepositoryIdentity
) -> Authority | None:
    """What is true now of an execution and a host; None when the execution is not known."""
    found = await state.execution(execution)
    session = await state.session(found.session) if found else None
    task = await state.task(found.task) if found else None
    if found is None or session is None or task is None:
        return None
    repositories: dict[RepositoryId, RepositoryIdentity] = {}
    for attached in task.repositories:
        repository = await state.repository(attached.repository)
        if repository is not None and repository.identity is not None:
            repositories[repository.id] = repository.identity
    return Authority(
        workspace=task.workspace,
        task=task.id,
        session=session.id,
        execution=found.id,
        live=session.state in LIVE and session.execution == found.id,
        repositories=repositories,
        connection=serving(await state.connections(task.workspace), identity.host),
    )
