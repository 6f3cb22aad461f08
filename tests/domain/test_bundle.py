"""The newest bytes that fit, cut at a line, and every byte left out counted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.bundle import (
    ACP_BYTES,
    ARCHIVE_BYTES,
    BACKEND_BYTES,
    BACKEND_BYTES_WITH_ACP,
    FRONTEND_BYTES,
    LINE_SEARCH_BYTES,
    MANIFEST_BYTES,
    MAX_ROWS,
    MIB,
    RUNTIME_BYTES,
    Cut,
    LogFile,
    Part,
    Selection,
    Source,
    backend_name,
    budgets,
    cut_at_line,
    frontend_name,
    select_rows,
    select_tail,
)
from tests.requirements import requirement

SELECTIONS: dict[str, tuple[int, tuple[int, ...], tuple[Part, ...], int]] = {
    "the newest alone fills the budget": (
        BACKEND_BYTES,
        (256 * MIB, 256 * MIB, 256 * MIB),
        (Part("0", 100_663_296, 167_772_160),),
        608 * MIB,
    ),
    "the second is cut and the third is gone": (
        BACKEND_BYTES,
        (100 * MIB, 100 * MIB, 1),
        (Part("0", 0, 104_857_600), Part("1", 41_943_040, 62_914_560)),
        40 * MIB + 1,
    ),
    "an empty file costs nothing": (
        BACKEND_BYTES,
        (160 * MIB, 0, 5),
        (Part("0", 0, 160 * MIB), Part("1", 0, 0)),
        5,
    ),
    "an empty file behind a full budget is no omission": (
        BACKEND_BYTES,
        (0, 160 * MIB, 0),
        (Part("0", 0, 0), Part("1", 0, 160 * MIB), Part("2", 0, 0)),
        0,
    ),
    "all of it fits exactly": (
        BACKEND_BYTES,
        (53 * MIB, 53 * MIB, 54 * MIB),
        (Part("0", 0, 53 * MIB), Part("1", 0, 53 * MIB), Part("2", 0, 54 * MIB)),
        0,
    ),
    "one byte too many costs the oldest byte": (
        BACKEND_BYTES,
        (53 * MIB, 53 * MIB, 54 * MIB + 1),
        (Part("0", 0, 53 * MIB), Part("1", 0, 53 * MIB), Part("2", 1, 56_623_104)),
        1,
    ),
    "the agents' messages leave less": (
        BACKEND_BYTES_WITH_ACP,
        (256 * MIB,),
        (Part("0", 167_772_160, 100_663_296),),
        160 * MIB,
    ),
    "with messages the second is cut": (
        BACKEND_BYTES_WITH_ACP,
        (95 * MIB, 2 * MIB, 2 * MIB),
        (Part("0", 0, 95 * MIB), Part("1", 1_048_576, 1_048_576)),
        3 * MIB,
    ),
    "nothing is there": (BACKEND_BYTES, (), (), 0),
    "nothing may be taken": (0, (3, 0), (Part("1", 0, 0),), 3),
}


@requirement("bundle:select:newest")
@pytest.mark.parametrize("case", SELECTIONS)
def test_the_newest_bytes_are_selected(case: str) -> None:
    budget, sizes, parts, omitted = SELECTIONS[case]
    files = [LogFile(str(index), size) for index, size in enumerate(sizes)]

    assert select_tail(files, budget) == Selection(parts, omitted, omitted > 0)


@requirement("bundle:select:newest")
@given(st.lists(st.integers(0, 1000), max_size=8), st.integers(0, 4000))
def test_a_selection_is_the_end_of_the_logs_joined_oldest_first(
    sizes: list[int], budget: int
) -> None:
    files = [LogFile(str(index), size) for index, size in enumerate(sizes)]
    selection = select_tail(files, budget)
    taken = sum(part.length for part in selection.parts)

    assert taken == min(budget, sum(sizes))
    assert selection.omitted_bytes == sum(sizes) - taken
    assert selection.partial == (selection.omitted_bytes > 0)
    assert all(part.offset + part.length == sizes[int(part.name)] for part in selection.parts)
    assert [part.offset > 0 for part in selection.parts].count(True) <= 1


@pytest.mark.parametrize(("size", "budget"), [(-1, 1), (1, -1)])
def test_a_negative_number_is_a_bug(size: int, budget: int) -> None:
    with pytest.raises(ValueError, match="negative"):
        select_tail([LogFile("a", size)], budget)


LOG = b"first\nsecond\nthird\n"


@requirement("bundle:select:line")
@pytest.mark.parametrize(
    ("offset", "begins"),
    [(0, b"first"), (1, b"second"), (5, b"second"), (6, b"second"), (7, b"third"), (13, b"third")],
)
def test_a_cut_log_begins_with_a_line(offset: int, begins: bytes) -> None:
    part = Part("a", offset, len(LOG) - offset)
    cut = cut_at_line(part, LOG[max(0, offset - 1) :])

    assert not cut.mid_line
    assert LOG[cut.part.offset :].startswith(begins)
    assert cut.part.offset + cut.part.length == len(LOG)


@requirement("bundle:select:line")
@pytest.mark.parametrize("offset", [14, 18])
def test_a_last_line_is_rather_cut_than_lost(offset: int) -> None:
    part = Part("a", offset, len(LOG) - offset)

    assert cut_at_line(part, LOG[offset - 1 :]) == Cut(part, mid_line=True)


@requirement("bundle:select:line")
@pytest.mark.parametrize(
    ("before", "found"), [(LINE_SEARCH_BYTES - 1, True), (LINE_SEARCH_BYTES, False)]
)
def test_a_line_is_looked_for_within_the_bound(before: int, found: bool) -> None:
    window = b"x" * before + b"\nline\n"
    part = Part("a", 1, len(window) - 1)
    cut = cut_at_line(part, window)

    assert cut.mid_line is not found
    assert cut.part == (Part("a", before + 1, 5) if found else part)


@requirement("bundle:select:budget")
def test_each_source_has_a_budget_of_its_own() -> None:
    assert budgets({Source.BACKEND}) == {Source.BACKEND: 160 * MIB}
    assert budgets({Source.BACKEND, Source.FRONTEND, Source.RUNTIME}) == {
        Source.BACKEND: 160 * MIB,
        Source.FRONTEND: 80 * MIB,
        Source.RUNTIME: 2 * MIB,
    }
    assert budgets(set(Source)) == {
        Source.BACKEND: 96 * MIB,
        Source.FRONTEND: 48 * MIB,
        Source.RUNTIME: 2 * MIB,
        Source.ACP: 96 * MIB,
    }


@requirement("bundle:select:budget")
def test_full_budgets_fit_into_an_archive() -> None:
    room = ARCHIVE_BYTES - MANIFEST_BYTES

    assert room > BACKEND_BYTES + FRONTEND_BYTES + RUNTIME_BYTES
    assert sum(budgets(set(Source)).values()) < room
    assert ACP_BYTES == 96 * MIB


@requirement("bundle:select:rows")
def test_rows_are_taken_until_one_would_pass_the_budget() -> None:
    rows = [json.dumps({"session": index, "x": "y" * 10_000}).encode() for index in range(500)]
    selected = select_rows(rows)

    assert len(selected.payload) <= RUNTIME_BYTES < len(selected.payload) + len(rows[0]) + 2
    assert json.loads(selected.payload) == [json.loads(row) for row in rows[: selected.taken]]
    assert selected.omitted_bytes == sum(map(len, rows[selected.taken :]))


@requirement("bundle:select:rows")
@pytest.mark.parametrize(("budget", "taken"), [(2, 0), (3, 0), (4, 1), (6, 1), (7, 2), (100, 2)])
def test_rows_that_fill_the_budget_exactly_are_taken(budget: int, taken: int) -> None:
    selected = select_rows([b"1", b"2"], budget)

    assert selected.taken == taken
    assert json.loads(selected.payload) == [1, 2][:taken]


@requirement("bundle:select:rows")
def test_no_more_rows_than_the_bound_are_taken() -> None:
    assert select_rows([b"1"] * MAX_ROWS).omitted_bytes == 0
    assert select_rows([b"1"] * (MAX_ROWS + 1)).taken == MAX_ROWS
    assert select_rows([b"1"] * (MAX_ROWS + 1)).omitted_bytes == 1


def test_a_row_that_does_not_fit_is_not_jumped_over() -> None:
    assert select_rows([b"1", b'"long long"', b"2"], 10).taken == 1


def test_entries_are_named_by_their_source() -> None:
    assert backend_name("backend-logs.log") == "backend/backend-logs.log"
    assert frontend_name(3) == "frontend/browser-03.jsonl"
