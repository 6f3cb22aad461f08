"""What a push was: matched with a redemption, outside of the lease, or not to be told."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from domain.execution import Handle
from domain.identity import ExecutionId, RepositoryId, SessionId, TaskId, WorkspaceId
from domain.ledger import LedgerEntry, Operation, of_scope
from domain.push import Push, Unseen, Update, Whose
from domain.push_verdict import (
    MAX_DETAIL,
    PUSH_LIFE,
    Judged,
    Tally,
    Verdict,
    entry,
    judge,
    load,
)
from tests.domain.lease_examples import NOW, SCOPE, WIDGETS
from tests.requirements import requirement

REF = "refs/remotes/origin/feature/one"
PUSH = Push(RepositoryId("r"), Whose.SESSION, (Update(REF, "a", "b"),))
UNSEEN = Unseen(RepositoryId("r"), "reflogs_off")
HANDLE = Handle(ExecutionId("e"), TaskId("t"), SessionId("s"))


def redemption(number: int, at: datetime) -> LedgerEntry:
    return replace(of_scope(at, Operation.REDEEM, SCOPE, "alice"), sequence=number)


FIRST = redemption(1, NOW - timedelta(minutes=5))
SECOND = redemption(2, NOW)
LATER = redemption(3, NOW + timedelta(seconds=1))


@requirement("ledger:push")
@pytest.mark.parametrize(
    ("told", "redemptions", "expected"),
    [
        (PUSH, [FIRST], Judged(Verdict.MATCHED, FIRST)),
        (PUSH, [FIRST, SECOND], Judged(Verdict.MATCHED, SECOND)),
        (PUSH, [SECOND, LATER], Judged(Verdict.MATCHED, SECOND)),
        (PUSH, [LATER], Judged(Verdict.OUTSIDE)),
        (replace(PUSH, before=FIRST.at), [FIRST, SECOND], Judged(Verdict.MATCHED, FIRST)),
        (replace(PUSH, before=FIRST.at), [SECOND], Judged(Verdict.MATCHED, SECOND)),
        (PUSH, [], Judged(Verdict.OUTSIDE)),
        (replace(PUSH, whose=Whose.CHECKOUT), [FIRST], Judged(Verdict.MATCHED, FIRST)),
        (replace(PUSH, whose=Whose.CHECKOUT), [], Judged(Verdict.AMBIGUOUS)),
        (replace(PUSH, whose=Whose.AMBIGUOUS), [FIRST], Judged(Verdict.AMBIGUOUS)),
        (replace(PUSH, whose=Whose.AMBIGUOUS), [], Judged(Verdict.AMBIGUOUS)),
        (UNSEEN, [FIRST], Judged(Verdict.UNSEEN)),
    ],
)
def test_the_newest_redemption_from_before_a_push_allowed_it(
    told: Push | Unseen, redemptions: list[LedgerEntry], expected: Judged
) -> None:
    assert judge(told, NOW, redemptions) == expected


@requirement("ledger:push")
def test_a_redemption_allows_a_push_for_an_hour() -> None:
    at_the_bound = redemption(1, NOW - PUSH_LIFE)
    past_it = redemption(1, NOW - PUSH_LIFE - timedelta(microseconds=1))

    assert judge(PUSH, NOW, [at_the_bound]).verdict is Verdict.MATCHED
    assert judge(PUSH, NOW, [past_it]).verdict is Verdict.OUTSIDE


def line_of(told: Push | Unseen, judged: Judged) -> LedgerEntry:
    return entry(told, judged, NOW, HANDLE, WorkspaceId("w"), WIDGETS)


def test_an_entry_names_the_redemption_and_its_actor_or_neither() -> None:
    matched = line_of(PUSH, judge(PUSH, NOW, [FIRST]))
    outside = line_of(PUSH, judge(PUSH, NOW, []))

    assert (matched.operation, matched.result) == (Operation.PUSH, "matched")
    assert (matched.redemption, matched.actor, matched.detail) == (1, "alice", REF)
    assert (outside.redemption, outside.actor, outside.result) == (None, None, "outside_lease")
    assert line_of(UNSEEN, judge(UNSEEN, NOW, [])).detail == "reflogs_off"


@pytest.mark.parametrize(
    ("refs", "more", "detail"),
    [
        (["a"], 0, "a"),
        (["a", "b"], 0, "a and 1 more"),
        (["a"], 2, "a and 2 more"),
        ([], 0, "-"),
        (["a" * MAX_DETAIL], 0, "a" * MAX_DETAIL),
        (["a" * (MAX_DETAIL + 1)], 0, "a" * MAX_DETAIL),
    ],
)
def test_the_detail_names_the_first_ref_within_the_bound(
    refs: list[str], more: int, detail: str
) -> None:
    told = replace(PUSH, updates=tuple(Update(ref, "a", "b") for ref in refs), more=more)

    assert line_of(told, Judged(Verdict.OUTSIDE)).detail == detail


@requirement("ledger:push:tally")
def test_a_tally_counts_each_verdict_and_names_once_what_is_not_seen() -> None:
    tally = Tally()
    for verdict in (Verdict.MATCHED, Verdict.OUTSIDE, Verdict.OUTSIDE, Verdict.AMBIGUOUS):
        tally = tally.counting(verdict, PUSH)
    for _ in range(2):
        tally = tally.counting(Verdict.UNSEEN, UNSEEN)

    assert tally == Tally(1, 2, 1, ("by_url", "reflogs_off"))
    assert load(tally.to_json()) == tally


@pytest.mark.parametrize("value", [None, 7, {}, {"matched": "1"}, {"matched": 1, "not_seen": []}])
def test_a_tally_that_is_not_understood_is_none(value: object) -> None:
    assert load(value) is None
