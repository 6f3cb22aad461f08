"""Where `kandev run` has the work begin: at one thing, which the task is told."""

import pytest

from composition.commands.run import parser, place
from tests.requirements import requirement


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], {}),
        (["--base", "main"], {"base_branch": "main"}),
        (["--checkout", "topic"], {"checkout_branch": "topic"}),
        (["--pull-request", "7"], {"pull_request": 7}),
    ],
)
def test_the_task_is_told_where_its_work_begins(
    arguments: list[str], named: dict[str, object]
) -> None:
    chosen = parser().parse_args(["Work.", "--repo", "here", *arguments])

    told = place("repo_1", chosen)

    assert told.pop("repository_id") == "repo_1"
    assert {key: value for key, value in told.items() if value is not None} == named


@requirement("branch:start:refused")
@pytest.mark.parametrize(
    "arguments",
    [
        ["--base", "main", "--checkout", "topic"],
        ["--checkout", "topic", "--pull-request", "7"],
        ["--pull-request", "seven"],
    ],
)
def test_more_than_one_beginning_is_a_mistake(arguments: list[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["Work.", "--repo", "here", *arguments])
