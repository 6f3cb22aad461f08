"""Redemption while the world changes: leases that are gone, state that moves, secrets that are kept."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from domain.capability import CAPABILITY_LIFE
from domain.connection import Status
from domain.lease import LEASE_LIFE, LeaseRefusal, Refusal
from domain.ledger import LedgerQuery
from domain.outcome import Failure, Result, failed
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from domain.session import Session
from pipelines.connection_secret import KEPT_SECONDS, MAX_KEPT, SecretUnavailable
from ports.credential_source import SourceFault
from ports.credentials import CredentialRequest, GitCredential
from ports.vault import connection_place
from tests.fakes.credential_source import FakeSource
from tests.pipelines.broker import CONNECTION, SCOPE, Broker, broker
from tests.pipelines.plane import HOST, OWNER, SECRET, Plane, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

APP = RepositoryIdentity(HOST, "/acme/app")
ROTATED = "rotated-token-0123456789"


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


def asked(plane: Plane, **changed: object) -> CredentialRequest:
    """What agentctl asks with the lease and the capability of the last launch."""
    spec = plane.runtime.launches[-1]
    assert spec.managed is not None
    [grant] = spec.managed.leases
    request = CredentialRequest(spec.handle.execution, APP, grant.token, grant.capability, "get")
    return replace(request, **changed)  # type: ignore[arg-type]  # fields by name


async def redeemed(plane: Plane, **changed: object) -> Result[GitCredential, LeaseRefusal]:
    outcome: Result[GitCredential, LeaseRefusal] = await plane.container.redeem()(
        asked(plane, **changed)
    )
    return outcome


async def written(plane: Plane) -> list[tuple[str, str, str]]:
    async with plane.store.read() as state:
        entries = await state.ledger(LedgerQuery())
    return [(each.operation.value, each.result, each.detail) for each in entries]


async def rotate(plane: Plane, session: Session) -> None:
    plane.git.secret = ROTATED
    async with plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    (await plane.connected(task.workspace, ROTATED)).unwrap()


async def test_a_lease_gives_the_credential_of_its_repository(plane: Plane) -> None:
    await plane.running()

    assert (await redeemed(plane)).unwrap() == GitCredential("robot", Secret(SECRET), None)


@requirement("lease:renewed")
async def test_a_rotation_strands_no_session(plane: Plane) -> None:
    await rotate(plane, await plane.running())

    given = (await redeemed(plane)).unwrap()

    assert given.password == Secret(ROTATED)
    assert given.lease is not None
    again = (await redeemed(plane, token=given.lease, capability=None)).unwrap()
    assert (again.password, again.lease) == (Secret(ROTATED), None)
    assert (await written(plane))[1:] == [
        ("revoke", "revoked", "connection_replaced"),
        ("issue", "granted", "reissued"),
        ("redeem", "granted", ""),
        ("redeem", "granted", ""),
    ]


@requirement("lease:renewed")
async def test_an_expired_or_unknown_lease_is_issued_anew(plane: Plane) -> None:
    await plane.running()

    unknown = (await redeemed(plane, token=Secret("kdl_" + "A" * 43))).unwrap()
    plane.clock.advance(LEASE_LIFE)
    expired = (await redeemed(plane)).unwrap()

    assert unknown.lease not in {None, expired.lease}
    assert {unknown.password, expired.password} == {Secret(SECRET)}


@requirement("lease:side-by-side")
async def test_two_processes_that_renew_at_once_do_not_end_each_other(plane: Plane) -> None:
    await rotate(plane, await plane.running())

    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        renewing = [group.create_task(redeemed(plane)) for _ in range(4)]

    leases = [each.result().unwrap().lease for each in renewing]
    assert len(set(leases)) == 4
    for lease in leases:
        assert not failed(await redeemed(plane, token=lease, capability=None))


@requirement("lease:not-renewed")
async def test_without_a_capability_a_lease_that_is_gone_stays_gone(plane: Plane) -> None:
    await rotate(plane, await plane.running())

    outcome = await redeemed(plane, capability=None)

    assert outcome == Failure(LeaseRefusal(Refusal.REVOKED))


@requirement("lease:not-renewed")
async def test_a_capability_helps_nobody_but_its_own_execution(plane: Plane) -> None:
    first = await plane.running()
    other = asked(plane).capability
    await plane.stopped(first)
    (await plane.resumed(first.id)).unwrap()
    gone = Secret("kdl_" + "A" * 43)

    assert await redeemed(plane, token=gone, capability=other) == Failure(
        LeaseRefusal(Refusal.DENIED)
    )
    assert await redeemed(plane, token=gone, capability=Secret("kdc_" + "A" * 200)) == Failure(
        LeaseRefusal(Refusal.INVALID)
    )


@requirement("lease:not-renewed")
async def test_a_capability_ends_with_its_session_and_with_its_time(plane: Plane) -> None:
    session = await plane.running()
    plane.clock.advance(CAPABILITY_LIFE)
    late = await redeemed(plane)
    (await plane.api.stop(OWNER, session.id)).unwrap()
    stopped = await redeemed(plane)

    assert late == Failure(LeaseRefusal(Refusal.EXPIRED))
    assert failed(stopped)
    granted = [each for each in await written(plane) if each[:2] == ("issue", "granted")]
    assert granted == [("issue", "granted", "")]


@requirement("lease:not-renewed")
async def test_what_was_denied_is_not_tried_again(plane: Plane) -> None:
    await plane.running()

    outcome = await redeemed(plane, identity=RepositoryIdentity(HOST, "/acme/other"))

    assert outcome == Failure(LeaseRefusal(Refusal.DENIED))
    assert [each for each in await written(plane) if each[0] == "issue"] == [
        ("issue", "granted", "")
    ]


@requirement("lease:transient")
async def test_a_connection_that_is_suspended_revokes_nothing(plane: Plane) -> None:
    await plane.running()
    async with plane.store.write() as unit:
        [workspace] = await unit.workspaces(None, 1)
        [active] = await unit.connections(workspace.id)
        sealed = await unit.connection_secret(active.id)
        assert sealed is not None
        await unit.put_connection(replace(active, status=Status.SUSPENDED), sealed)
    suspended = await redeemed(plane)
    async with plane.store.write() as unit:
        await unit.put_connection(active, sealed)

    assert suspended == Failure(LeaseRefusal(Refusal.UNAVAILABLE))
    assert not failed(await redeemed(plane))


@pytest.fixture
async def sourced(tmp_path: Path) -> AsyncGenerator[tuple[Broker, FakeSource]]:
    source = FakeSource()
    async with broker(tmp_path, sources={CONNECTION.kind: source}) as made:
        yield made, source


@requirement("lease:asked-twice")
async def test_a_connection_that_is_replaced_meanwhile_gives_nothing(
    sourced: tuple[Broker, FakeSource],
) -> None:
    made, source = sourced

    async def replaced() -> None:
        await made.connect(ROTATED, made.connection.revision + 1)

    source.meanwhile = replaced
    assert await made.ask() == Failure(LeaseRefusal(Refusal.REVOKED))
    assert source.asked == [1]
    assert (await made.ledger())[-1].result == "lease_revoked"


@requirement("lease:asked-twice")
async def test_a_session_that_ends_meanwhile_gets_nothing(
    sourced: tuple[Broker, FakeSource],
) -> None:
    made, source = sourced

    async def ended() -> None:
        async with made.store.write() as unit:
            await unit.revoke_leases(made.clock.now(), execution=SCOPE.execution)

    source.meanwhile = ended
    assert await made.ask() == Failure(LeaseRefusal(Refusal.REVOKED))


@requirement("lease:transient")
@pytest.mark.parametrize("fault", SourceFault)
async def test_a_source_that_has_nothing_now_revokes_nothing(
    sourced: tuple[Broker, FakeSource], fault: SourceFault
) -> None:
    made, source = sourced
    given, source.given = source.given, fault

    refused = await made.ask()
    source.given = given

    assert refused == Failure(LeaseRefusal(Refusal.UNAVAILABLE))
    assert not failed(await made.ask())


def spoil(folder: Path) -> None:
    """Put in place of every sealed secret what no key opens."""
    with closing(sqlite3.connect(folder / "kandev.db")) as database:
        database.execute("UPDATE github_workspace_connections SET sealed = x'00'")
        database.commit()


@requirement("lease:secret-kept")
async def test_an_opened_secret_is_kept_for_seconds(plane: Plane, tmp_path: Path) -> None:
    await plane.running()
    plane.clock.advance(timedelta(seconds=KEPT_SECONDS))
    (await redeemed(plane)).unwrap()
    spoil(tmp_path)

    plane.clock.advance(timedelta(seconds=KEPT_SECONDS - 0.5))
    kept = await redeemed(plane)
    plane.clock.advance(timedelta(seconds=0.5))
    over = await redeemed(plane)

    assert not failed(kept)
    assert over == Failure(LeaseRefusal(Refusal.UNAVAILABLE))


@requirement("lease:secret-kept")
async def test_another_revision_never_finds_what_was_kept(plane: Plane, tmp_path: Path) -> None:
    workspace = await plane.workspace()
    connection = (await plane.connected(workspace)).unwrap()
    secrets = plane.container.secrets()
    async with plane.store.read() as state:
        (await secrets(state, connection)).unwrap()
        spoil(tmp_path)
        newer = replace(connection, revision=connection.revision + 1)
    async with plane.store.read() as state:
        assert (await secrets(state, connection)).unwrap() == Secret(SECRET)
        assert await secrets(state, newer) == Failure(SecretUnavailable(connection.id))


@requirement("lease:secret-kept")
async def test_so_many_secrets_are_kept_and_no_more(plane: Plane, tmp_path: Path) -> None:
    workspace = await plane.workspace()
    connection = (await plane.connected(workspace)).unwrap()
    vault, secrets = plane.container.vault(), plane.container.secrets()
    sealed = vault.seal(connection_place(connection.id, workspace), Secret(SECRET))
    async with plane.store.write() as unit:
        await unit.put_connection(connection, sealed)
    revisions = [replace(connection, revision=number) for number in range(MAX_KEPT + 1)]
    async with plane.store.read() as state:
        opened = [await secrets(state, each) for each in revisions]
    spoil(tmp_path)

    async with plane.store.read() as state:
        kept = [await secrets(state, each) for each in revisions]

    assert not any(failed(each) for each in opened)
    assert [failed(each) for each in kept] == [False] * MAX_KEPT + [True]
