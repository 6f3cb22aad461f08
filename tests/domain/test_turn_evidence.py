"""What a turn left, as git says it and as it is stored: read whole, or unknown."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.identity import RepositoryId
from domain.turn_evidence import (
    MAX_FILES,
    MAX_PATH_CHARACTERS,
    MAX_REPOSITORIES,
    UNKNOWN,
    Dirty,
    RepositoryEvidence,
    Unknown,
    load,
    status,
    to_json,
)

COMMIT = "1234567890123456789012345678901234567890"
ONE = RepositoryEvidence(RepositoryId("r1"), None, COMMIT, Dirty(2, ("a", "b c")), 3)


def told(*entries: str, head: str = COMMIT) -> str:
    return "".join(f"{each}\0" for each in (f"# branch.oid {head}", "# branch.head main", *entries))


@pytest.mark.parametrize(
    ("entries", "dirty"),
    [
        ([], Dirty(0, ())),
        ([f"1 .M N... 100644 100644 100644 {COMMIT} {COMMIT} a b"], Dirty(1, ("a b",))),
        ([f"2 R. N... 100644 100644 100644 {COMMIT} {COMMIT} R100 new", "old"], Dirty(1, ("new",))),
        (["u UU N... 1 2 3 4 a b c both"], Dirty(1, ("both",))),
        (["? folder/", "? a\nb"], Dirty(2, ("folder/", "a\nb"))),
        (["! ignored"], Dirty(0, ())),
        (["? " + "x" * MAX_PATH_CHARACTERS], Dirty(1, ("x" * MAX_PATH_CHARACTERS,))),
        (["? " + "x" * (MAX_PATH_CHARACTERS + 1), "? y"], Dirty(2, ("y",))),
    ],
)
def test_what_is_not_committed_is_read_from_gits_own_words(
    entries: list[str], dirty: Dirty
) -> None:
    assert status(told(*entries)) == (COMMIT, dirty)


@pytest.mark.parametrize(("number", "listed"), [(MAX_FILES, MAX_FILES), (MAX_FILES + 1, MAX_FILES)])
def test_every_file_is_counted_and_the_first_are_named(number: int, listed: int) -> None:
    dirty = status(told(*(f"? {each}" for each in range(number)))).dirty

    assert (dirty.count, len(dirty.files)) == (number, listed)


def test_a_branch_without_a_commit_has_none_and_silence_is_unknown() -> None:
    assert status(told(head="(initial)")).head is None
    assert status("").head is UNKNOWN


commits = st.none() | st.just(UNKNOWN) | st.from_regex(r"[0-9a-f]{40}", fullmatch=True)
evidence = st.builds(
    RepositoryEvidence,
    st.text().map(RepositoryId),
    commits,
    commits,
    st.just(UNKNOWN) | st.builds(Dirty, st.integers(0), st.lists(st.text(), max_size=3).map(tuple)),
    st.just(UNKNOWN) | st.integers(0),
)


@given(st.lists(evidence, max_size=3).map(tuple))
def test_evidence_comes_back_as_it_was_stored(known: tuple[RepositoryEvidence, ...]) -> None:
    assert load(to_json(known)) == known


def test_unknown_evidence_stays_unknown() -> None:
    assert to_json(UNKNOWN) == "unknown"
    assert load("unknown") is UNKNOWN
    assert load(None) is UNKNOWN


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"head_before": 7, "head_after": [], "dirty": 1, "unpushed": "many"},
        {"dirty": {"count": -1, "files": []}, "unpushed": -1},
        {"dirty": {"count": True, "files": []}, "unpushed": True},
        {"dirty": {"count": 1}},
    ],
)
def test_a_member_of_another_shape_is_unknown(broken: dict[str, object]) -> None:
    (known,) = load([{"repository_id": "r1", **broken}])

    assert known == RepositoryEvidence(RepositoryId("r1"), UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)


@pytest.mark.parametrize("number", [MAX_REPOSITORIES, MAX_REPOSITORIES + 1])
def test_so_many_repositories_are_read(number: int) -> None:
    assert len(load(to_json((ONE,)) * number)) == MAX_REPOSITORIES


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(json_values)
def test_whatever_is_stored_can_be_loaded(value: object) -> None:
    known = load(value)

    assert isinstance(known, Unknown) or load(to_json(known)) == known
