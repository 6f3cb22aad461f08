"""Names of branches: those that we make and those that we take are names to git as well."""

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.branch import (
    MAX_BRANCH_BYTES,
    MAX_SLUG,
    InvalidBranch,
    branch_name,
    check_branch,
    distinct,
    slug,
)
from domain.outcome import Failure, Success, failed


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Fix the login", "fix-the-login"),
        ("  --Fix!!  the__login-- ", "fix-the-login"),
        ("Größe ändern", "groe-andern"),
        ("ΩМЖ", "task"),
        ("", "task"),
        ("..", "task"),
        ("x" * (MAX_SLUG + 1), "x" * MAX_SLUG),
        ("x" * (MAX_SLUG - 1) + " y", "x" * (MAX_SLUG - 1)),
    ],
)
def test_a_title_gives_a_plain_name(title: str, expected: str) -> None:
    assert slug(title) == expected


@given(st.text(max_size=80))
def test_every_slug_is_one_component_of_letters_digits_and_single_hyphens(title: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug(title))
    assert len(slug(title)) <= MAX_SLUG
    assert slug(slug(title)) == slug(title)


def test_a_branch_is_named_after_the_title_and_the_end_of_the_task() -> None:
    assert branch_name("Fix it", "task_01J9-AbCdEf12") == "feature/fix-it-cdef12"
    assert branch_name("Fix it", "task_01J9-AbCdEf12") != branch_name("Fix it", "task_other00")


@given(st.text(max_size=80), st.from_regex(r"\Atask_[0-9a-z]{10,20}\Z"))
def test_every_branch_that_we_make_is_one_that_we_would_take(title: str, task: str) -> None:
    assert not failed(check_branch(branch_name(title, task)))


REFUSED = [
    "",
    "-",
    "--upload-pack=x",
    "/a",
    "a/",
    "a//b",
    ".a",
    "a/.b",
    "a.",
    "a..b",
    "a.lock",
    "a.lock/b",
    "a b",
    "a\tb",
    "a\0b",
    "a\x7fb",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[b",
    "a\\b",
    "a@{1}",
    "@",
]


@pytest.mark.parametrize("name", REFUSED)
def test_what_git_does_not_take_for_a_branch_is_refused(name: str) -> None:
    assert check_branch(name) == Failure(InvalidBranch())


@pytest.mark.parametrize(
    "name", ["main", "release/1.x", "a.b", "ünïcode", "a@b", "1", "HEAD", "0123abc"]
)
def test_a_name_of_a_branch_is_taken_as_it_is(name: str) -> None:
    assert check_branch(name) == Success(name)


@pytest.mark.parametrize("mark", ["x", "ö"])
def test_a_name_is_held_to_its_bound_in_bytes(mark: str) -> None:
    longest = mark * (MAX_BRANCH_BYTES // len(mark.encode()))

    assert check_branch(longest) == Success(longest)
    assert check_branch(longest + mark) == Failure(InvalidBranch())


@settings(max_examples=60)
@given(st.lists(st.sampled_from([*"ab/.-@{~^:?*[\\ ö\x1f\x7f", "lock"]), max_size=8).map("".join))
@example("a.lock/b")
@example("a/@")
def test_git_takes_what_we_take_and_refuses_what_we_refuse(name: str) -> None:
    asked = subprocess.run(
        ["git", "check-ref-format", f"refs/heads/{name}"], check=False, capture_output=True
    )
    dashed = name.startswith("-") or name == "@"

    assert failed(check_branch(name)) is (asked.returncode != 0 or dashed)


def test_the_longest_name_can_be_made(tmp_path: Path) -> None:
    name = "x" * MAX_BRANCH_BYTES
    commands = [
        ["init", "--quiet", "--initial-branch", name],
        [*identity(), "commit", "--quiet", "--allow-empty", "--message", "first"],
        ["rev-parse", "--verify", "--quiet", f"refs/heads/{name}"],
    ]

    for command in commands:
        subprocess.run(["git", *command], cwd=tmp_path, check=True, capture_output=True)


def identity() -> list[str]:
    return ["-c", "user.name=Robot", "-c", "user.email=robot@example.org"]


@given(st.text(max_size=3), st.sets(st.text(max_size=5), max_size=6))
def test_a_distinct_name_is_not_taken_and_is_the_name_when_that_is_free(
    name: str, taken: set[str]
) -> None:
    given_name = distinct(name, taken)

    assert given_name not in taken
    assert (given_name == name) is (name not in taken)


def test_the_first_free_number_is_taken() -> None:
    assert distinct("app", {"app", "app-2", "app-4"}) == "app-3"
