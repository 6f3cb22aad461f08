"""The ref and the message that keep a worktree."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.identity import TaskId
from domain.worktree_backup import Head, head_of, message, ref_name, refs_of
from tests.requirements import requirement

AT = datetime(2026, 1, 2, 3, 4, 5, 6, UTC)


@requirement("worktrees:removal:keeps")
def test_refs_are_named_by_task_and_time_and_sort_by_it() -> None:
    first = ref_name(TaskId("t1"), AT)

    assert first == "refs/kandev/backup/t1/20260102T030405.000006Z"
    assert first.startswith(refs_of(TaskId("t1")))
    assert first < ref_name(TaskId("t1"), AT + timedelta(microseconds=1))


@requirement("worktrees:restore")
@pytest.mark.parametrize(
    "head",
    [Head("a" * 40, "refs/heads/feature/a"), Head("a" * 40, None), Head(None, "refs/heads/new")],
)
def test_a_message_says_what_was_checked_out(head: Head) -> None:
    assert head_of(message(head)) == head
