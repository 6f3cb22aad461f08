"""Redeem a lease: the credential of one repository, for one git operation, if it still may be had.

The live state is asked before the secret is opened and once more after, and that second look and
the ledger's entry are one unit: nothing is given that is not written down. A lease that is gone is
issued anew from the sealed capability, once a request, when the live state still entitles its
holder; leases of the same execution do not end each other.
"""

from dataclasses import dataclass

from domain import connection as rules
from domain.connection import Connection
from domain.lease import (
    LeaseRecord,
    LeaseRefusal,
    Refusal,
    digest,
    may_redeem,
)
from domain.ledger import Operation, of_authority, of_scope
from domain.outcome import Failure, Result, Success, failed
from domain.secret import Secret
from pipelines.connection_credential import ConnectionCredential
from pipelines.issue_lease import IssueLease, authority_of
from ports.capabilities import Capabilities
from ports.clock import Clock
from ports.credentials import CredentialRequest, GitCredential
from ports.store import Reader, Store

__all__ = ("RedeemCredential",)


@dataclass(frozen=True, slots=True)
class RedeemCredential:
    store: Store
    credential: ConnectionCredential
    capabilities: Capabilities
    issue: IssueLease
    clock: Clock

    async def __call__(self, request: CredentialRequest) -> Result[GitCredential, LeaseRefusal]:
        outcome = await self._redeem(request, request.token)
        if failed(outcome) and outcome.failure().reissuable and request.capability is not None:
            outcome = await self._redeem_anew(request, request.capability)
        if failed(outcome):
            await self._note(request, outcome.failure())
        return outcome

    async def _redeem_anew(
        self, request: CredentialRequest, capability: Secret
    ) -> Result[GitCredential, LeaseRefusal]:
        claims = self.capabilities.open(capability)
        if failed(claims):
            return claims
        async with self.store.write() as unit:
            reissued = await self.issue.again(unit, claims.unwrap(), request)
        if failed(reissued):
            return reissued
        return await self._redeem(request, reissued.unwrap(), reissued.unwrap())

    async def _redeem(
        self, request: CredentialRequest, shown: Secret, fresh: Secret | None = None
    ) -> Result[GitCredential, LeaseRefusal]:
        async with self.store.read() as state:
            before = await self._look(state, request, shown)
        if failed(before):
            return before
        resolved = await self.credential(before.unwrap().connection, request.identity)
        if failed(resolved):
            return Failure(LeaseRefusal(Refusal.UNAVAILABLE))
        async with self.store.write() as unit:
            after = await self._look(unit, request, shown)
            if failed(after):
                return after
            found = after.unwrap()
            if found.connection.revision != before.unwrap().connection.revision:
                return Failure(LeaseRefusal(Refusal.REVOKED))
            login = found.connection.login
            await unit.record([
                of_scope(
                    self.clock.now(),
                    Operation.REDEEM,
                    found.record.scope,
                    login,
                    peer=request.peer,
                )
            ])
        credential = resolved.unwrap()
        expires = int(credential.expires.timestamp()) if credential.expires else None
        username = rules.username(found.connection.kind, login)
        return Success(GitCredential(username, credential.secret, expires, fresh))

    async def _look(
        self, state: Reader, request: CredentialRequest, shown: Secret
    ) -> Result["_Redeemable", LeaseRefusal]:
        record = await state.lease(digest(shown))
        authority = await authority_of(state, request.execution, request.identity)
        allowed = may_redeem(
            record, authority, request.execution, request.identity, self.clock.now()
        )
        if failed(allowed):
            return allowed
        assert record is not None, "an unknown lease is refused"
        return Success(_Redeemable(record, allowed.unwrap()))

    async def _note(self, request: CredentialRequest, refusal: LeaseRefusal) -> None:
        async with self.store.write() as unit:
            authority = await authority_of(unit, request.execution, request.identity)
            await unit.record([
                of_authority(
                    self.clock.now(),
                    Operation.REDEEM,
                    refusal.code.value,
                    request.execution,
                    request.identity,
                    authority,
                    request.peer,
                )
            ])


@dataclass(frozen=True, slots=True)
class _Redeemable:
    record: LeaseRecord
    connection: Connection
