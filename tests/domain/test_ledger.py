"""Entries of the ledger, as they are exported."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from domain.identity import ExecutionId
from domain.lease import Authority
from domain.ledger import (
    COLUMNS,
    LEDGER_LIFE,
    LedgerEntry,
    Operation,
    Why,
    csv_line,
    json_line,
    kept_from,
    of_authority,
    of_scope,
    record_of,
    revocation,
)
from domain.peer import Descent, Peer
from domain.repository import RepositoryIdentity
from tests.domain.lease_examples import AUTHORITY, NOW, OTHER, RECORD, SCOPE, WIDGETS
from tests.requirements import requirement

GIVEN = of_scope(NOW, Operation.REDEEM, SCOPE, "alice", peer=Peer(7, Descent.INSIDE))


@requirement("ledger:export")
def test_a_line_of_json_has_every_column_in_order() -> None:
    fields = json.loads(json_line(GIVEN))

    assert tuple(fields) == COLUMNS
    assert fields == {
        "sequence": 0,
        "at": "2026-08-01T12:00:00Z",
        "operation": "redeem",
        "result": "granted",
        "detail": "",
        "workspace_id": "w",
        "task_id": "t",
        "session_id": "s",
        "execution_id": "e",
        "repository_id": "r",
        "host": "github.com",
        "path": "/acme/widgets",
        "actor": "alice",
        "pid": 7,
        "descent": "inside",
        "redemption": None,
    }


@requirement("ledger:export")
def test_csv_reads_back_as_it_was_written() -> None:
    awkward = replace(GIVEN, detail='refs/heads/"a,b"', actor="bot one", peer=None)

    rows = list(csv.DictReader(io.StringIO(csv_line(None) + csv_line(awkward), newline="")))

    shown = {
        name: "" if value is None else str(value) for name, value in record_of(awkward).items()
    }
    assert rows == [shown]


@requirement("ledger:export")
@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_of_csv_is_a_formula(first: str) -> None:
    entry = replace(GIVEN, actor=f"{first}1+1")

    [row] = csv.DictReader(io.StringIO(csv_line(None) + csv_line(entry), newline=""))

    assert row["actor"] == f"'{first}1+1"


@requirement("ledger:entry")
def test_times_are_told_in_utc() -> None:
    east = replace(GIVEN, at=datetime(2026, 8, 1, 14, tzinfo=timezone(timedelta(hours=2))))

    assert record_of(east)["at"] == "2026-08-01T12:00:00Z"


@requirement("ledger:entry")
def test_a_refusal_tells_what_is_known_of_whoever_asked() -> None:
    def refused(identity: RepositoryIdentity, known: Authority | None) -> LedgerEntry:
        execution = ExecutionId("e")
        return of_authority(NOW, Operation.REDEEM, "denied", execution, identity, known, None)

    known = refused(WIDGETS, AUTHORITY)
    foreign = refused(OTHER, AUTHORITY)
    nobody = refused(WIDGETS, None)

    assert (known.task, known.repository, known.actor) == ("t", "r", "alice")
    assert (foreign.task, foreign.repository) == ("t", None)
    assert (nobody.task, nobody.repository, nobody.actor) == (None, None, None)
    assert {each.execution for each in (known, foreign, nobody)} == {"e"}


@requirement("ledger:entry")
def test_a_revocation_says_why() -> None:
    entry = revocation(NOW, RECORD, None, Why.TASK_ARCHIVED)

    assert (entry.operation, entry.result, entry.detail) == (
        Operation.REVOKE,
        "revoked",
        "task_archived",
    )
    assert entry.identity == WIDGETS


@requirement("ledger:prune")
def test_an_entry_is_kept_for_its_whole_life() -> None:
    now = datetime(2026, 8, 1, tzinfo=UTC)

    assert kept_from(now) == now - LEDGER_LIFE
