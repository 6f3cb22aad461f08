"""Branch templates: what git takes for every task, the same name each time, or a refusal."""

import subprocess
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.branch import MAX_BRANCH_BYTES, branch_name
from domain.branch_template import (
    MAX_ID,
    MAX_TITLE,
    PLACEHOLDERS,
    SUFFIX,
    InvalidTemplate,
    UnknownPlaceholder,
    branch_of,
    check_template,
)
from domain.identity import TaskId, WorkspaceId
from domain.outcome import Failure, Success, failed
from domain.task import Task, TaskState
from tests.requirements import requirement

AT = datetime(2026, 1, 2, tzinfo=UTC)


def task(title: str = "Fix it", key: str = "task_0123abc", ticket: str | None = None) -> Task:
    return Task(
        TaskId(key), WorkspaceId("ws"), title, "Work.", TaskState.OPEN, (), AT, external_id=ticket
    )


@requirement("branch:template")
@pytest.mark.parametrize(
    ("template", "made", "expected"),
    [
        ("", task(), "feature/fix-it-123abc"),
        ("feature/{title}-{suffix}", task(), "feature/fix-it-123abc"),
        (
            "{ticket}-{title}-{suffix}",
            task("Fix GitHub imports", "task_abc", "KAN-42"),
            "kan-42-fix-github-imports-askabc",
        ),
        ("{issue_key}-{task_id}", task("", "task-123", "KAN-42"), "kan-42-task-123"),
        (
            "feature/{ticket}-{title}",
            task("Add branch templates", ticket="KAN-42"),
            "feature/kan-42-add-branch-templates",
        ),
        ("{ticket}", task(), "task-0123abc"),
        ("v1.x/{title_full}", task("a" * (MAX_TITLE + 1)), "v1.x/" + "a" * MAX_TITLE),
        ("{task_id}", task(key="t" * (MAX_ID + 1)), "t" * MAX_ID),
        ("x-{suffix}", task(key="12345678"), "x-" + "12345678"[-SUFFIX:]),
    ],
)
def test_a_template_names_the_branch_of_a_task(template: str, made: Task, expected: str) -> None:
    assert check_template(template) == Success(template)
    assert branch_of(template, made) == expected


@requirement("branch:template:refused")
@pytest.mark.parametrize("name", ["prefix", "", "Title", "title ", "0"])
def test_a_placeholder_that_is_not_known_is_refused(name: str) -> None:
    template = f"{{{name}}}{{title}}-{{suffix}}"

    assert check_template(template) == Failure(UnknownPlaceholder(name))


@requirement("branch:template:refused")
@pytest.mark.parametrize(
    "template",
    [
        "../{title}",
        "feature/.{title}",
        "feature/{title}.",
        "feature.lock/{title}",
        "-{title}",
        "/{title}",
        "{title}/",
        "{title}..{suffix}",
        "{title} {suffix}",
        "a~{title}",
        "ä{title}",
        "{title",
        "title}",
        "{{title}}",
        "HEAD",
        "{title}\n",
    ],
)
def test_a_template_that_makes_no_name_is_refused(template: str) -> None:
    assert check_template(template) == Failure(InvalidTemplate())


@requirement("branch:template:refused")
@pytest.mark.parametrize(("over", "refused"), [(0, False), (1, True)])
def test_a_template_is_held_to_the_bound_with_the_longest_words(over: int, refused: bool) -> None:
    literal = "x" * (MAX_BRANCH_BYTES - MAX_TITLE - SUFFIX + over)

    assert failed(check_template(literal + "{title_full}{suffix}")) == refused


@requirement("branch:template")
def test_words_that_make_no_name_with_the_text_around_them_give_the_usual_one() -> None:
    made = task("lock")

    assert branch_of("fix.{title}", made) == branch_name(made.title, made.id)


PARTS = st.sampled_from([*(f"{{{each}}}" for each in PLACEHOLDERS), *"ab/.-_A", "lock", "HEAD"])
TEMPLATES = st.lists(PARTS, min_size=1, max_size=6).map("".join)


@requirement("branch:template")
@settings(max_examples=60, deadline=None)
@given(TEMPLATES, st.text(max_size=90), st.none() | st.text(min_size=1, max_size=60))
def test_git_takes_every_name_and_it_is_the_same_each_time(
    template: str, title: str, ticket: str | None
) -> None:
    made = task(title, ticket=ticket)
    name = branch_of(template, made)

    command = ["git", "check-ref-format", "--branch", name]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    assert branch_of(template, made) == name
    assert len(name.encode()) <= MAX_BRANCH_BYTES
