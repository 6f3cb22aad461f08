"""What git's porcelain says, read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.git_status import MAX_ENTRIES, ChangedPath, GitStatus, read
from tests.requirements import requirement

ID = "1" * 40


def test_a_fresh_repository_has_a_branch_and_no_commit() -> None:
    output = "# branch.oid (initial)\0# branch.head main\0"

    assert read(output) == GitStatus(None, "main", None, None, None, (), 0)


def test_a_detached_head_has_a_commit_and_no_branch() -> None:
    output = f"# branch.oid {ID}\0# branch.head (detached)\0"

    assert read(output) == GitStatus(ID, None, None, None, None, (), 0)


def test_every_kind_of_line_is_read() -> None:
    output = "\0".join([
        f"# branch.oid {ID}",
        "# branch.head topic",
        "# branch.upstream origin/topic",
        "# branch.ab +2 -3",
        f"1 .M N... 100644 100644 100644 {ID} {ID} with a blank",
        f"2 R. N... 100644 100644 100644 {ID} {ID} R100 new name",
        "old name",
        f"u UU N... 100644 100644 100644 100644 {ID} {ID} {ID} in conflict",
        "? not tracked",
        "",
    ])

    assert read(output) == GitStatus(
        ID,
        "topic",
        "origin/topic",
        2,
        3,
        (
            ChangedPath("with a blank", ".", "M"),
            ChangedPath("new name", "R", ".", "old name"),
            ChangedPath("in conflict", "U", "U"),
            ChangedPath("not tracked", "?", "?"),
        ),
        0,
    )


@requirement("session-git:bounds")
@pytest.mark.parametrize(("count", "omitted"), [(MAX_ENTRIES, 0), (MAX_ENTRIES + 1, 1)])
def test_paths_over_the_bound_are_counted(count: int, omitted: int) -> None:
    status = read("".join(f"? {number}\0" for number in range(count)))

    assert (len(status.changed), status.omitted) == (MAX_ENTRIES, omitted)


def test_a_path_that_is_not_utf_8_is_shown_with_replacements() -> None:
    assert read("? caf\udce9\0").changed == (ChangedPath("caf�", "?", "?"),)


@given(st.lists(st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1)))
def test_paths_come_back_as_they_were(paths: list[str]) -> None:
    output = "".join(f"? {path}\0" for path in paths)

    assert [each.path for each in read(output).changed] == paths
