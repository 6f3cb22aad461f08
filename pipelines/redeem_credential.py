"""Redeem a lease: the credential of one repository, for one git operation, if it still may be had.

The live state is asked before the secret is opened and once more after. A lease that is gone is
issued anew from the sealed capability, once a request, when the live state still entitles its
holder; leases of the same execution do not end each other.
"""

from dataclasses import dataclass

from domain import connection as rules
from domain.capability import may_reissue
from domain.connection import Connection
from domain.identity import ExecutionId, LeaseId, RepositoryId
from domain.lease import (
    LEASE_LIFE,
    TOKEN_BYTES,
    Authority,
    LeaseRecord,
    LeaseRefusal,
    Refusal,
    Scope,
    digest,
    may_redeem,
    token,
)
from domain.outcome import Failure, Result, Success, failed
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from domain.session import LIVE
from pipelines.connection_secret import ConnectionSecrets
from ports.capabilities import Capabilities
from ports.clock import Clock
from ports.credentials import CredentialRequest, GitCredential
from ports.ids import Ids
from ports.redactor import Redactor
from ports.store import Reader, Store

__all__ = ("RedeemCredential",)


@dataclass(frozen=True, slots=True)
class RedeemCredential:
    store: Store
    secrets: ConnectionSecrets
    capabilities: Capabilities
    redactor: Redactor
    clock: Clock
    ids: Ids

    async def __call__(self, request: CredentialRequest) -> Result[GitCredential, LeaseRefusal]:
        redeemed = await self._redeem(request, request.token)
        if not failed(redeemed) or not redeemed.failure().reissuable:
            return redeemed
        reissued = await self._reissue(request)
        if failed(reissued):
            return reissued
        return await self._redeem(request, reissued.unwrap(), reissued.unwrap())

    async def _redeem(
        self, request: CredentialRequest, shown: Secret, fresh: Secret | None = None
    ) -> Result[GitCredential, LeaseRefusal]:
        async with self.store.read() as state:
            before = await self._check(state, request, shown)
            if failed(before):
                return before
            secret = await self.secrets(state, before.unwrap())
        if failed(secret):
            return Failure(LeaseRefusal(Refusal.UNAVAILABLE))
        async with self.store.read() as state:
            after = await self._check(state, request, shown)
        if failed(after):
            return after
        connection = after.unwrap()
        username = rules.username(connection.kind, connection.login)
        return Success(GitCredential(username, secret.unwrap(), None, fresh))

    async def _check(
        self, state: Reader, request: CredentialRequest, shown: Secret
    ) -> Result[Connection, LeaseRefusal]:
        record = await state.lease(digest(shown))
        authority = await authority_of(state, request.execution, request.identity)
        return may_redeem(record, authority, request.execution, request.identity, self.clock.now())

    async def _reissue(self, request: CredentialRequest) -> Result[Secret, LeaseRefusal]:
        if request.capability is None:
            return Failure(LeaseRefusal(Refusal.INVALID))
        claims = self.capabilities.open(request.capability)
        if failed(claims):
            return claims
        now = self.clock.now()
        async with self.store.write() as unit:
            authority = await authority_of(unit, request.execution, request.identity)
            live = len(await unit.leases(request.execution))
            entitled = may_reissue(
                claims.unwrap(), authority, request.execution, request.identity, live, now
            )
            if failed(entitled):
                return entitled
            fresh = token(self.ids.random(TOKEN_BYTES))
            await unit.put_lease(self._lease(claims.unwrap().scope, entitled.unwrap(), fresh))
        self.redactor.register(fresh)
        return Success(fresh)

    def _lease(self, scope: Scope, connection: Connection, fresh: Secret) -> LeaseRecord:
        now = self.clock.now()
        return LeaseRecord(
            id=LeaseId(self.ids.new("lease")),
            token_hash=digest(fresh),
            scope=scope,
            connection=connection.id,
            revision=connection.revision,
            issued_at=now,
            expires_at=now + LEASE_LIFE,
        )


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
    connections = await state.connections(task.workspace)
    return Authority(
        workspace=task.workspace,
        task=task.id,
        session=session.id,
        execution=found.id,
        live=session.state in LIVE and session.execution == found.id,
        repositories=repositories,
        connection=next((each for each in connections if each.host == identity.host), None),
    )
