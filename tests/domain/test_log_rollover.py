"""A crash at any byte of a rollover is finished without a byte doubled or lost."""

import json
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log_retention import DAILY_BYTES
from domain.log_rollover import (
    JOURNAL_NAME,
    Append,
    Discard,
    FileIdentity,
    Journal,
    Mismatch,
    Quarantine,
    Recovery,
    Rename,
    Resume,
    parse_journal,
    quarantine_name,
    recover,
    roll,
)
from tests.requirements import requirement

DAY = date(2026, 7, 29)
SOURCE = FileIdentity(device=1, inode=2, size=19, modified_ns=3)
JOURNAL = Journal(DAY, SOURCE, source_start=0, length=19, destination_start=4)


@requirement("logs:rollover")
def test_a_day_without_a_file_is_made_by_renaming() -> None:
    assert roll(DAY, SOURCE, None) == Rename()


@requirement("logs:rollover")
def test_a_day_with_a_file_is_appended_to() -> None:
    assert roll(DAY, SOURCE, 4) == Append(JOURNAL)


@requirement("logs:rollover")
@pytest.mark.parametrize(
    ("there", "start", "length"),
    [
        (DAILY_BYTES - 19, 0, 19),
        (DAILY_BYTES - 18, 1, 18),
        (DAILY_BYTES, 19, 0),
        (DAILY_BYTES + 7, 19, 0),
    ],
)
def test_a_day_is_not_filled_past_its_bound_and_keeps_the_newest(
    there: int, start: int, length: int
) -> None:
    rolled = roll(DAY, SOURCE, there)

    assert isinstance(rolled, Append)
    assert (rolled.journal.source_start, rolled.journal.length) == (start, length)
    assert rolled.dropped == start


RECOVERIES: dict[str, tuple[Journal | None, FileIdentity | None, int | None, Recovery]] = {
    "nothing copied yet": (JOURNAL, SOURCE, 4, Resume(JOURNAL, 0)),
    "half copied": (JOURNAL, SOURCE, 10, Resume(JOURNAL, 6)),
    "all copied, source still there": (JOURNAL, SOURCE, 23, Resume(JOURNAL, 19)),
    "source gone": (JOURNAL, None, 23, Discard()),
    "destination vanished": (JOURNAL, SOURCE, None, Quarantine(Mismatch.DESTINATION)),
    "destination cut": (JOURNAL, SOURCE, 3, Quarantine(Mismatch.DESTINATION)),
    "destination grew": (JOURNAL, SOURCE, 24, Quarantine(Mismatch.DESTINATION)),
    "journal of an empty day": (
        replace(JOURNAL, destination_start=0),
        SOURCE,
        None,
        Resume(replace(JOURNAL, destination_start=0), 0),
    ),
    "another file": (JOURNAL, replace(SOURCE, inode=9), 4, Quarantine(Mismatch.SOURCE)),
    "the inode of the next day's file": (
        JOURNAL,
        replace(SOURCE, size=5, modified_ns=8),
        23,
        Quarantine(Mismatch.SOURCE),
    ),
    "torn journal": (None, SOURCE, 4, Quarantine(Mismatch.MALFORMED)),
}


@requirement("logs:rollover:crash")
@pytest.mark.parametrize("case", RECOVERIES)
def test_what_is_found_after_a_crash_decides(case: str) -> None:
    journal, source, destination, recovery = RECOVERIES[case]

    assert recover(journal, source, destination) == recovery


@requirement("logs:rollover:crash")
@given(st.binary(max_size=40), st.binary(max_size=40), st.data())
def test_a_copy_that_is_cut_anywhere_is_finished_once(
    there: bytes, source: bytes, data: st.DataObject
) -> None:
    identity = replace(SOURCE, size=len(source))
    rolled = roll(DAY, identity, len(there))
    assert isinstance(rolled, Append)
    written = there
    for _ in range(3):
        found = recover(parse_journal(rolled.journal.to_json()), identity, len(written))
        assert isinstance(found, Resume)
        rest = source[found.journal.source_start + found.copied :]
        written += rest[: data.draw(st.integers(0, len(rest)))]
    found = recover(rolled.journal, identity, len(written))
    assert isinstance(found, Resume)

    assert written + source[found.copied :] == there + source


@requirement("logs:rollover:journal")
def test_a_journal_is_read_back() -> None:
    assert parse_journal(JOURNAL.to_json()) == JOURNAL


FIELDS = json.loads(JOURNAL.to_json())


@requirement("logs:rollover:journal")
@pytest.mark.parametrize(
    "text",
    [
        "",
        JOURNAL.to_json()[:-1],
        "[]",
        "null",
        "[" * 100_000,
        json.dumps(FIELDS | {"day": "../../etc/cron.d/x"}),
        json.dumps(FIELDS | {"day": "2026-02-30"}),
        json.dumps(FIELDS | {"length": 18}),
        json.dumps(FIELDS | {"source_start": 20, "length": -1}),
        json.dumps(FIELDS | {"destination_start": -1}),
        json.dumps(FIELDS | {"source": "/etc/passwd"}),
        json.dumps({name: value for name, value in FIELDS.items() if name != "day"}),
    ],
)
def test_anything_else_is_no_journal(text: str) -> None:
    assert parse_journal(text) is None


@requirement("logs:rollover:journal")
def test_a_journal_that_is_put_aside_takes_a_free_name() -> None:
    taken = {JOURNAL_NAME, f"{JOURNAL_NAME}.bad-1", f"{JOURNAL_NAME}.bad-3"}

    assert quarantine_name(set()) == f"{JOURNAL_NAME}.bad-1"
    assert quarantine_name(taken) == f"{JOURNAL_NAME}.bad-2"
