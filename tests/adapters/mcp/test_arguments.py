"""Arguments: what is wrong is told by place and rule, and nothing of what was sent."""

from typing import Any

import pytest
from pydantic import Field

from adapters.mcp.arguments import (
    Arguments,
    CreateTask,
    GetConversation,
    GetTask,
    ListWorkspaces,
    MessageTask,
    parse,
)
from domain.event import EventKind
from domain.outcome import failed
from domain.tool_bounds import (
    MAX_CONVERSATION,
    MAX_ID,
    MAX_ROWS,
    MAX_TASK_REPOSITORIES,
    MAX_TITLE,
)
from tests.requirements import requirement

SECRET = "hunter2-" * 3
PAIR = {"task_id": "t", "session_id": "s"}
WORK = {"title": "Mend it", "prompt": "Mend the door."}


class Odd(Arguments):
    zeta: str
    alpha: str
    slashed: int = Field(alias="a/b~c", default=0)
    token: str = Field(pattern="^kdt_", default="kdt_")


@requirement("mcp:arguments")
@pytest.mark.parametrize(
    ("model", "given", "where", "told"),
    [
        (ListWorkspaces, {"unexpected": 1}, "$", "additionalProperties"),
        (GetTask, {}, "$", 'required; missing: "task_id"'),
        (Odd, {}, "$", 'required; missing: "alpha", "zeta"'),
        (Odd, {"zeta": "", "alpha": "", "a/b~c": SECRET}, "/a~1b~0c", "type"),
        (Odd, {"zeta": "", "alpha": "", "token": SECRET}, "/token", "pattern"),
        (CreateTask, {**WORK, "promt": SECRET}, "$", "additionalProperties"),
        (CreateTask, {"title": "Mend it", "promt": SECRET}, "$", "additionalProperties"),
        (CreateTask, {**WORK, "prompt": 7}, "/prompt", "type"),
        (CreateTask, {**WORK, "prompt": ""}, "/prompt", "minLength"),
        (CreateTask, {**WORK, "title": "x" * (MAX_TITLE + 1)}, "/title", "maxLength"),
        (CreateTask, {**WORK, "workspace_id": 7}, "/workspace_id", "type"),
        (CreateTask, {**WORK, "repositories": [{}]}, "/repositories/0",
         'required; missing: "repository_id"'),
        (CreateTask, {**WORK, "repositories": [{"repository_id": "r", "path": SECRET}]},
         "/repositories/0", "additionalProperties"),
        (CreateTask, {**WORK, "repositories": [{"repository_id": "r"}] * (MAX_TASK_REPOSITORIES + 1)},
         "/repositories", "maxItems"),
        (GetTask, {"task_id": "x" * (MAX_ID + 1)}, "/task_id", "maxLength"),
        (ListWorkspaces, {"limit": MAX_ROWS + 1}, "/limit", "maximum"),
        (ListWorkspaces, {"limit": 0}, "/limit", "minimum"),
        (ListWorkspaces, {"limit": "1"}, "/limit", "type"),
        (ListWorkspaces, {"limit": True}, "/limit", "type"),
        (ListWorkspaces, {"limit": 1.0}, "/limit", "type"),
        (GetConversation, {**PAIR, "limit": MAX_CONVERSATION + 1}, "/limit", "maximum"),
        (GetConversation, {**PAIR, "kinds": [SECRET]}, "/kinds/0", "enum"),
        (MessageTask, {"task_id": "t", "prompt": "Go", "task": "other"}, "$",
         "additionalProperties"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_by_its_place_and_its_rule(
    model: type[Arguments], given: dict[str, Any], where: str, told: str
) -> None:
    outcome = parse(model, given)

    assert failed(outcome)
    assert outcome.failure() == f"validation failed at {where} (keyword: {told})"


@requirement("mcp:arguments")
def test_absent_arguments_are_none() -> None:
    assert parse(ListWorkspaces, None) == parse(ListWorkspaces, {})


@pytest.mark.parametrize(
    ("model", "given"),
    [
        (CreateTask, {**WORK, "title": "x" * MAX_TITLE}),
        (CreateTask, {**WORK, "repositories": [{"repository_id": "r"}] * MAX_TASK_REPOSITORIES}),
        (GetTask, {"task_id": "x" * MAX_ID}),
        (ListWorkspaces, {"limit": MAX_ROWS, "after": None}),
        (GetConversation, {**PAIR, "limit": MAX_CONVERSATION, "kinds": [*EventKind]}),
    ],
)
def test_arguments_at_their_bounds_are_taken(model: type[Arguments], given: dict[str, Any]) -> None:
    assert not failed(parse(model, given))
