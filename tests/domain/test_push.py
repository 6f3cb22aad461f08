"""Pushes in reflogs: what a line tells, which lines are new, and whose push it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.identity import RepositoryId
from domain.push import (
    MAX_UPDATES,
    Push,
    Unseen,
    Update,
    Whose,
    Worktree,
    checked_out,
    grouped,
    load,
    news,
    to_json,
    updates,
    whose,
)
from tests.domain.lease_examples import NOW
from tests.requirements import requirement

REF = "refs/remotes/origin/feature/one"
A, B, C, NONE = ("a" * 40, "b" * 40, "c" * 40, "0" * 40)
STAMP = "Ada <ada@example.org> 1700000000 +0000"


def line(old: str, new: str, message: str = "update by push", stamp: str = STAMP) -> bytes:
    return f"{old} {new} {stamp}\t{message}\n".encode()


@requirement("ledger:push")
def test_only_what_a_push_moved_is_told() -> None:
    log = (
        line(NONE, A, "fetch origin: storing head")
        + line(A, B)
        + b"no line of a reflog\n"
        + line(B, C, "update by push, or so they say")
        + line(B, NONE)
        + f"{B} {C} without a message\n".encode()
    )

    assert updates(REF, log) == (
        Update(REF, A, B, STAMP.encode()),
        Update(REF, B, NONE, STAMP.encode()),
    )
    assert checked_out(log) == {A, B, C}


@pytest.mark.parametrize(
    ("known", "content", "expected"),
    [
        (b"", b"one\ntwo\n", b"one\ntwo\n"),
        (b"two\n", b"one\ntwo\n", b""),
        (b"one\n", b"one\ntwo\n", b"two\n"),
        (b"one\n", b"one\ntwo\nthr", b"two\n"),
        (b"two\n", b"two\nthree\n", b"three\n"),
        (b"gone\n", b"one\ntwo\n", b"one\ntwo\n"),
        (b"wo\n", b"two\nthree\n", b"two\nthree\n"),
        (b"one\n", b"", b""),
        (b"one\n", b"on", b""),
    ],
)
def test_what_is_behind_the_last_known_line_is_new_and_all_is_where_that_is_gone(
    known: bytes, content: bytes, expected: bytes
) -> None:
    assert news(known, content) == expected


@given(st.lists(st.from_regex(rb"[a-z]{1,5}", fullmatch=True), unique=True, min_size=1), st.data())
def test_a_log_that_only_grows_tells_each_line_once(
    words: list[bytes], data: st.DataObject
) -> None:
    lines = [word + b"\n" for word in words]
    cut = data.draw(st.integers(1, len(lines)))

    assert news(lines[cut - 1], b"".join(lines)) == b"".join(lines[cut:])


def test_what_one_process_moved_belongs_together() -> None:
    first, second, third = (
        Update(f"refs/remotes/origin/{name}", A, B, stamp)
        for name, stamp in (("x", b"1"), ("y", b"2"), ("z", b"1"))
    )

    assert grouped([first, second, third]) == [(first, third), (second,)]


OURS = Worktree(frozenset({"feature/one"}), frozenset({A, B}))
OTHER = Worktree(frozenset({"feature/two"}), frozenset({A, C}))
MAIN = Worktree(frozenset({"main"}), frozenset({A}))


@requirement("ledger:push:whose")
@pytest.mark.parametrize(
    ("moved", "expected"),
    [
        ([(REF, A, B)], Whose.SESSION),
        ([("refs/remotes/origin/main", A, B)], Whose.SESSION),
        ([("refs/remotes/origin/feature/two", A, B)], Whose.SESSION),
        ([("refs/remotes/origin/feature/two", A, C)], Whose.ANOTHER),
        ([(REF, A, C)], Whose.ANOTHER),
        ([(REF, NONE, A)], Whose.SESSION),
        ([("refs/remotes/origin/main", NONE, A)], Whose.ANOTHER),
        ([("refs/remotes/origin/elsewhere", NONE, A)], Whose.AMBIGUOUS),
        ([("refs/remotes/origin/elsewhere", B, NONE)], Whose.SESSION),
        ([("refs/remotes/origin/elsewhere", A, "d" * 40)], Whose.AMBIGUOUS),
        ([(REF, A, "d" * 40)], Whose.SESSION),
        ([("refs/remotes/origin/feature/one/more", A, "d" * 40)], Whose.AMBIGUOUS),
        ([("refs/remotes/origin/x/feature/one", A, "d" * 40)], Whose.AMBIGUOUS),
        ([("refs/remotes/origin/main", NONE, A), (REF, NONE, A)], Whose.AMBIGUOUS),
        ([("refs/remotes/origin/elsewhere", NONE, A), (REF, A, B)], Whose.SESSION),
    ],
)
def test_a_push_is_of_the_worktree_that_had_what_was_pushed_or_that_the_branch_is_of(
    moved: list[tuple[str, str, str]], expected: Whose
) -> None:
    pushed = [Update(*each) for each in moved]

    assert whose(pushed, OURS, [OTHER, MAIN], shared=False) is expected


@requirement("ledger:push:whose")
def test_in_a_checkout_that_is_shared_with_its_user_it_is_somebodys_there() -> None:
    pushed = [Update(REF, A, B)]

    assert whose(pushed, OURS, [OTHER], shared=True) is Whose.CHECKOUT
    assert whose([Update(REF, A, C)], OURS, [OTHER], shared=True) is Whose.ANOTHER


@requirement("ledger:push:whose")
def test_where_there_is_one_worktree_it_is_that_ones() -> None:
    assert whose([Update(REF, A, "d" * 40)], OURS, [], shared=False) is Whose.SESSION


def test_what_is_told_reads_back() -> None:
    push = Push(RepositoryId("r"), Whose.SESSION, (Update(REF, A, B),), 3, NOW)
    unseen = Unseen(RepositoryId("r"), "reflogs_off")

    assert load(to_json(push)) == push
    assert load(to_json(unseen)) == unseen


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"repository_id": "r"},
        {"repository_id": "r", "whose": "nobody", "updates": [], "more": 0},
        {"repository_id": "r", "whose": "session", "updates": [{"ref": "x"}], "more": 0},
        {"repository_id": "r", "whose": "session", "updates": 7, "more": 0},
        {"repository_id": "r", "whose": "session", "updates": [], "more": "many", "before": None},
        {"repository_id": "r", "whose": "session", "updates": [], "more": 0, "before": "soon"},
        {"repository_id": "r", "whose": "session", "updates": [], "more": 0, "before": 7},
    ],
)
def test_what_is_no_push_is_none(body: dict[str, object]) -> None:
    assert load(body) is None


def test_a_push_names_refs_up_to_the_bound() -> None:
    many = tuple(Update(REF, A, B) for _ in range(MAX_UPDATES + 1))

    read = load(to_json(Push(RepositoryId("r"), Whose.SESSION, many)))

    assert isinstance(read, Push)
    assert len(read.updates) == MAX_UPDATES
