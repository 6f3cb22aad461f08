"""Where a branch begins: nothing stands in for what was asked for."""

import pytest

from domain.base_branch import Beginning, beginning
from domain.branch import InvalidBranch
from domain.identity import RepositoryId
from domain.outcome import Failure, Success
from domain.task import MAX_PULL_REQUEST, InvalidStart, TaskRepository, check_start
from tests.requirements import requirement

REPOSITORY = RepositoryId("repo")


@requirement("branch:base")
@pytest.mark.parametrize(
    ("asked", "clone", "expected"),
    [
        (None, True, Beginning("origin/main", ("origin/HEAD",))),
        ("topic", True, Beginning("origin/topic", ("topic",))),
        (None, False, Beginning("main", ("origin/main", "origin/HEAD", "HEAD"))),
        ("topic", False, Beginning("topic", ("origin/topic",))),
    ],
)
def test_a_branch_begins_at_the_first_of_these_that_is_there(
    asked: str | None, clone: bool, expected: Beginning
) -> None:
    assert beginning(TaskRepository(REPOSITORY, asked), "main", clone=clone) == expected


@requirement("branch:existing")
@pytest.mark.parametrize("clone", [True, False])
def test_a_branch_that_exists_begins_nowhere_but_at_itself(clone: bool) -> None:
    place = TaskRepository(REPOSITORY, checkout="topic")

    assert beginning(place, "main", clone=clone) == Beginning("origin/topic", (), "topic")


@requirement("branch:pull-request")
def test_a_pull_request_is_begun_at_the_head_that_was_fetched() -> None:
    place = TaskRepository(REPOSITORY, pull_request=7)

    assert beginning(place, "main", clone=True) == Beginning("refs/kandev/pull/7")


@requirement("branch:start:refused")
@pytest.mark.parametrize(
    "place",
    [
        TaskRepository(REPOSITORY, "main", "topic"),
        TaskRepository(REPOSITORY, "main", None, 1),
        TaskRepository(REPOSITORY, None, "topic", 1),
        TaskRepository(REPOSITORY, pull_request=0),
        TaskRepository(REPOSITORY, pull_request=-1),
        TaskRepository(REPOSITORY, pull_request=MAX_PULL_REQUEST + 1),
    ],
)
def test_work_that_begins_at_more_than_one_thing_or_at_none_is_refused(
    place: TaskRepository,
) -> None:
    assert check_start(place) == Failure(InvalidStart())


@requirement("branch:start:refused")
@pytest.mark.parametrize(
    "place",
    [
        TaskRepository(REPOSITORY),
        TaskRepository(REPOSITORY, "main"),
        TaskRepository(REPOSITORY, None, "topic"),
        TaskRepository(REPOSITORY, pull_request=1),
        TaskRepository(REPOSITORY, pull_request=MAX_PULL_REQUEST),
    ],
)
def test_work_that_begins_at_one_thing_is_taken(place: TaskRepository) -> None:
    assert check_start(place) == Success(place)


@requirement("branch:start:refused")
def test_a_branch_that_git_does_not_take_is_refused() -> None:
    assert check_start(TaskRepository(REPOSITORY, checkout="-x")) == Failure(InvalidBranch())
