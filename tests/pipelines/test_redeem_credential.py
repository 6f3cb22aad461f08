"""Redemption over a real store: what is given, what is refused, and what is written down first."""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from domain.identity import ExecutionId
from domain.lease import LEASE_LIFE, LeaseRefusal, Refusal
from domain.outcome import Failure
from domain.peer import Descent, Peer
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from tests.pipelines.broker import SCOPE, STORED, Broker, broker
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ready(tmp_path: Path) -> AsyncGenerator[Broker]:
    async with broker(tmp_path) as made:
        yield made


@requirement("ledger:entry")
async def test_a_redemption_gives_the_secret_and_writes_down_who_asked(ready: Broker) -> None:
    given = (await ready.ask(peer=Peer(7, Descent.INSIDE))).unwrap()
    entries = await ready.ledger()

    assert (given.username, given.password, given.expires) == ("robot", Secret(STORED), None)
    assert [(each.operation.value, each.result) for each in entries] == [
        ("issue", "granted"),
        ("redeem", "granted"),
    ]
    assert entries[1].peer == Peer(7, Descent.INSIDE)
    assert (entries[1].session, entries[1].actor) == (SCOPE.session, "robot")


@requirement("ledger:written-first")
async def test_no_credential_is_given_that_cannot_be_written_down(
    ready: Broker, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "kandev.db")) as database:
        database.execute(
            "CREATE TRIGGER full BEFORE INSERT ON credential_ledger "
            "BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
        database.commit()

    with pytest.raises(sqlite3.IntegrityError):
        await ready.ask()


@requirement("ledger:entry")
@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"token": Secret("kdl_unknown")}, Refusal.INVALID),
        ({"execution": ExecutionId("another")}, Refusal.DENIED),
        ({"identity": RepositoryIdentity("forge.example", "/acme/other")}, Refusal.DENIED),
    ],
)
async def test_every_refusal_is_written_down(
    ready: Broker, changed: dict[str, object], code: Refusal
) -> None:
    outcome = await ready.ask(**changed)
    entries = await ready.ledger()

    assert outcome == Failure(LeaseRefusal(code))
    assert [(each.operation.value, each.result) for each in entries[1:]] == [("redeem", code.value)]


@requirement("ledger:entry")
async def test_an_expired_lease_is_refused_and_written_down(ready: Broker) -> None:
    ready.clock.advance(LEASE_LIFE - timedelta(seconds=1))
    in_time = await ready.ask()
    ready.clock.advance(timedelta(seconds=1))
    late = await ready.ask()

    assert in_time.unwrap().password == Secret(STORED)
    assert late == Failure(LeaseRefusal(Refusal.EXPIRED))
    assert (await ready.ledger())[-1].result == "lease_expired"


async def test_a_replaced_connection_ends_what_the_old_one_gave(ready: Broker) -> None:
    await ready.connect("another-secret-0123456789", 2)

    assert await ready.ask() == Failure(LeaseRefusal(Refusal.REVOKED))
