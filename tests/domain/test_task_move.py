"""Which moves of a task there are, and who makes them."""

from datetime import UTC, datetime
from itertools import product

import pytest

from domain.access import Act
from domain.identity import TaskId, WorkspaceId
from domain.outcome import Failure, Success, failed
from domain.step_report import MAX_REPORT_BYTES, InvalidReport, StepWords, check_words
from domain.task import Task, TaskState
from domain.task_move import NotMovable, act_of, moved
from tests.requirements import requirement

OPEN, REVIEW, DONE = TaskState.OPEN, TaskState.REVIEW, TaskState.DONE
MOVES = {(OPEN, REVIEW), (OPEN, DONE), (REVIEW, OPEN), (REVIEW, DONE), (DONE, OPEN)}


def task(state: TaskState) -> Task:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    return Task(TaskId("task"), WorkspaceId("ws"), "Mend it", "Mend.", state, (), at)


@requirement("mcp:move")
@pytest.mark.parametrize(("state", "wanted"), [*product(TaskState, TaskState)])
def test_a_task_moves_along_the_moves_there_are(state: TaskState, wanted: TaskState) -> None:
    stays = state is wanted and state is not TaskState.ARCHIVED
    expected = (
        Success(task(wanted))
        if stays or (state, wanted) in MOVES
        else Failure(NotMovable(state, wanted))
    )

    assert moved(task(state), wanted) == expected


@requirement("mcp:move")
def test_that_a_task_is_done_is_for_who_controls_it() -> None:
    assert {each: act_of(each) for each in (OPEN, REVIEW, DONE)} == {
        OPEN: Act.CHANGE,
        REVIEW: Act.CHANGE,
        DONE: Act.CONTROL,
    }


@requirement("mcp:step")
def test_the_words_of_a_report_are_bounded() -> None:
    longest = "\N{LATIN SMALL LETTER E WITH ACUTE}" * (MAX_REPORT_BYTES // 2)

    assert not failed(check_words(StepWords(longest, longest, longest)))
    for words in (
        StepWords(" \n"),
        StepWords(longest + "x"),
        StepWords("Done.", longest + "x"),
        StepWords("Done.", "", longest + "x"),
    ):
        assert check_words(words) == Failure(InvalidReport())
