"""What git tells of commits, read in bounds."""

import pytest

from domain.branch import InvalidBranch
from domain.git_history import (
    MAX_COMMITS,
    MAX_MESSAGE_CHARACTERS,
    InvalidLimit,
    LoggedCommit,
    LogRequest,
    check,
    read,
)
from domain.outcome import Failure, Success
from tests.requirements import requirement


def _said(message: str) -> str:
    return f"abc\0def ghi\0Ada\0ada@x\0002026-01-02T03:04:05+01:00\0{message}\n\0"


def test_commits_are_read_in_order() -> None:
    both = read(_said("one\n\nbody") + "\n".join([_said("two")]))

    assert [each.message for each in both] == ["one\n\nbody", "two"]
    assert both[0] == LoggedCommit(
        "abc", ("def", "ghi"), "Ada", "ada@x", "2026-01-02T03:04:05+01:00", "one\n\nbody"
    )
    assert read("") == ()


@requirement("session-git:bounds")
@pytest.mark.parametrize("size", [MAX_MESSAGE_CHARACTERS, MAX_MESSAGE_CHARACTERS + 1])
def test_a_message_is_cut_at_its_bound(size: int) -> None:
    [commit] = read(_said("x" * size))

    assert commit.message == "x" * MAX_MESSAGE_CHARACTERS


@requirement("session-git:bounds")
@pytest.mark.parametrize("limit", [0, -1, MAX_COMMITS + 1])
def test_the_number_of_commits_has_a_bound(limit: int) -> None:
    assert check(LogRequest(limit)) == Failure(InvalidLimit())
    assert check(LogRequest(MAX_COMMITS)) == Success(LogRequest(MAX_COMMITS))


@requirement("session-git:arguments")
@pytest.mark.parametrize("base", ["--all", "^main", "main..", ":/x"])
def test_a_base_is_a_branch(base: str) -> None:
    assert check(LogRequest(base=base)) == Failure(InvalidBranch())
