"""Paths that a client may name inside a worktree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.outcome import Failure, Success, failed
from domain.worktree_path import (
    MAX_PATH_BYTES,
    MAX_PATHS,
    InvalidPath,
    check_path,
    check_paths,
    shown,
)


@pytest.mark.parametrize(
    "path", ["a", "a/b c", "-x", "--", ".gitignore", "a/.github/x", "…", "a\nb"]
)
def test_a_path_of_plain_names_is_taken(path: str) -> None:
    assert check_path(path) == Success(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/a",
        "a//b",
        "a/",
        ".",
        "..",
        "../a",
        "a/../b",
        "a/.",
        ".git",
        "a/.GIT/x",
        "a\0b",
        "\udce9",
    ],
)
def test_a_path_that_leads_out_or_into_git_is_none(path: str) -> None:
    assert check_path(path) == Failure(InvalidPath())


def test_a_path_has_a_bound_in_bytes() -> None:
    assert not failed(check_path("ä" * (MAX_PATH_BYTES // 2) + "a"))
    assert failed(check_path("ä" * (MAX_PATH_BYTES // 2 + 1)))


def test_paths_are_few_and_at_least_one() -> None:
    assert check_paths(["a"] * MAX_PATHS) == Success(("a",) * MAX_PATHS)
    assert check_paths(["a"] * (MAX_PATHS + 1)) == Failure(InvalidPath())
    assert check_paths([]) == Failure(InvalidPath())
    assert check_paths(["a", "/b"]) == Failure(InvalidPath())


@given(st.text(st.characters(codec="utf-8")))
def test_what_is_utf_8_is_shown_as_it_is(path: str) -> None:
    assert shown(path) == path
