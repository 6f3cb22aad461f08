"""What git prints of a diff, read in bounds."""

import pytest

from domain.branch import InvalidBranch
from domain.git_diff import (
    MAX_DIFF_BYTES,
    MAX_FILE_DIFF_BYTES,
    MAX_FILES,
    DiffRequest,
    FileChange,
    GitDiff,
    arguments,
    check,
    read,
)
from domain.outcome import Failure, Success
from domain.worktree_path import InvalidPath
from tests.requirements import requirement

HEADER = "diff --git a/f b/f\n"


def _patch(size: int) -> str:
    return HEADER + "+" * (size - len(HEADER) - 1) + "\n"


def test_nothing_changed_is_nothing() -> None:
    assert read("") == GitDiff((), 0, "", 0)


def test_counts_renames_and_binary_files_are_read() -> None:
    counts = "1\t2\tplain\0-\t-\tpicture\0000\t0\t\0old\0new\0\0"

    assert read(counts + HEADER) == GitDiff(
        (
            FileChange("plain", None, 1, 2),
            FileChange("picture", None, None, None),
            FileChange("new", "old", 0, 0),
        ),
        0,
        HEADER,
        0,
    )


@requirement("session-git:bounds")
@pytest.mark.parametrize(("more", "omitted"), [(0, 0), (1, 1)])
def test_a_long_patch_is_left_out_whole(more: int, omitted: int) -> None:
    diff = read("1\t0\tf\0\0" + _patch(MAX_FILE_DIFF_BYTES + more) + _patch(100))

    assert diff.patches_omitted == omitted
    assert diff.patch.endswith(_patch(100))
    assert len(diff.patch) == 100 + (0 if omitted else MAX_FILE_DIFF_BYTES)


@requirement("session-git:bounds")
@pytest.mark.parametrize(("more", "omitted"), [(0, 0), (1, 1)])
def test_patches_have_a_bound_together(more: int, omitted: int) -> None:
    whole = MAX_DIFF_BYTES // MAX_FILE_DIFF_BYTES
    patches = [_patch(MAX_FILE_DIFF_BYTES)] * (whole - 1) + [_patch(MAX_FILE_DIFF_BYTES - 100)]

    diff = read("1\t0\tf\0\0" + "".join(patches) + _patch(100 + more))

    assert diff.patches_omitted == omitted
    assert len(diff.patch) <= MAX_DIFF_BYTES


@requirement("session-git:bounds")
@pytest.mark.parametrize(("count", "omitted"), [(MAX_FILES, 0), (MAX_FILES + 1, 1)])
def test_files_over_the_bound_are_counted(count: int, omitted: int) -> None:
    diff = read("".join(f"1\t0\t{number}\0" for number in range(count)) + "\0")

    assert (len(diff.files), diff.files_omitted) == (MAX_FILES, omitted)


def test_a_line_that_looks_like_a_header_divides_nothing() -> None:
    patch = HEADER + "@@ -0,0 +1 @@\n+diff --git a/x b/x\n"

    assert read("1\t0\tf\0\0" + patch).patch == patch


@requirement("session-git:arguments")
@pytest.mark.parametrize("base", ["--output=/tmp/x", "a..b", "a b", ""])
def test_a_base_is_a_branch(base: str) -> None:
    assert check(DiffRequest(base=base)) == Failure(InvalidBranch())


@requirement("session-git:arguments")
def test_paths_stand_behind_the_options_and_are_checked() -> None:
    request = DiffRequest(staged=True, base="main", paths=("--output=x", "*"))

    assert check(request) == Success(request)
    assert arguments(request)[0] == "--literal-pathspecs"
    assert arguments(request)[-3:] == ("--", "--output=x", "*")
    assert check(DiffRequest(paths=("../x",))) == Failure(InvalidPath())
