"""What the tools take: one model a tool, which is its schema, its parser and its documentation.

Nothing is coerced, and a name that no tool knows is refused. What is wrong is told by its JSON
pointer (RFC 6901) and the keyword of JSON Schema that it broke, never by its value, which could be
a secret.
"""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from domain.event import EventKind
from domain.inquiry import MAX_INQUIRY_TEXT, MAX_OPTIONS, MAX_QUESTIONS, MIN_OPTIONS
from domain.outcome import Failure, Result, Success
from domain.task import MAX_EXTERNAL_ID_BYTES, MAX_PROMPT_BYTES
from domain.task_plan import MAX_PLAN_BYTES
from domain.tool_bounds import (
    DEFAULT_CONVERSATION,
    MAX_CONVERSATION,
    MAX_ID,
    MAX_ROWS,
    MAX_TASK_REPOSITORIES,
    MAX_TITLE,
)

__all__ = (
    "AnswerQuestion",
    "Arguments",
    "AskUserQuestion",
    "CreateTask",
    "GetConversation",
    "GetDiagnosticBundle",
    "GetTask",
    "Id",
    "ListRepositories",
    "ListTasks",
    "ListWorkspaces",
    "MessageTask",
    "NoArguments",
    "PermissionAnswer",
    "RepositoryChoice",
    "SpawnSession",
    "TaskSession",
    "UpdateTask",
    "WritePlan",
    "parse",
)


class Arguments(BaseModel):
    """The base of every tool's arguments: strict, frozen, closed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Id = Annotated[str, Field(min_length=1, max_length=MAX_ID)]
Rows = Annotated[int, Field(ge=1, le=MAX_ROWS, description="Rows in the answer at most.")]
After = Annotated[
    str | None, Field(max_length=MAX_ID, description="`next_after` of the page before, or null.")
]
Prompt = Annotated[str, Field(min_length=1, max_length=MAX_PROMPT_BYTES)]


class NoArguments(Arguments):
    pass


class ListWorkspaces(Arguments):
    limit: Rows = MAX_ROWS
    after: After = None


class ListRepositories(Arguments):
    workspace_id: Annotated[Id, Field(description="From list_workspaces_kandev.")]


class ListTasks(Arguments):
    workspace_id: Annotated[Id, Field(description="From list_workspaces_kandev.")]
    limit: Rows = MAX_ROWS
    after: After = None


class GetTask(Arguments):
    task_id: Annotated[Id, Field(description="From list_tasks_kandev.")]


class RepositoryChoice(Arguments):
    repository_id: Annotated[Id, Field(description="From list_repositories_kandev.")]
    base_branch: Annotated[
        str | None,
        Field(max_length=255, description="Where the work starts; null for the default branch."),
    ] = None


class CreateTask(Arguments):
    title: Annotated[
        str, Field(min_length=1, max_length=MAX_TITLE, description="One line that names the work.")
    ]
    prompt: Annotated[
        Prompt, Field(description="What the agent is to do, with all that it needs to know.")
    ]
    workspace_id: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_ID,
            description="Null when there is exactly one workspace.",
        ),
    ] = None
    repositories: Annotated[
        list[RepositoryChoice],
        Field(
            max_length=MAX_TASK_REPOSITORIES,
            description="Where to work; empty when the workspace has exactly one repository, or to"
            " work where the parent does.",
        ),
    ] = []
    parent_id: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_ID,
            description="The task that this one is a part of; `self` for an agent's own. An agent"
            " creates parts of its own task alone.",
        ),
    ] = None
    external_id: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_EXTERNAL_ID_BYTES,
            description="A name of your choice, once in a workspace: a call that repeats it gives"
            " the task that has it, and creates none.",
        ),
    ] = None


class UpdateTask(Arguments):
    task_id: Annotated[Id, Field(description="From list_tasks_kandev.")]
    title: Annotated[
        str | None,
        Field(min_length=1, max_length=MAX_TITLE, description="The new title; null leaves it."),
    ] = None
    prompt: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_PROMPT_BYTES,
            description="The new prompt; null leaves it. An agent at work does not hear of it.",
        ),
    ] = None


Text = Annotated[str, Field(min_length=1, max_length=MAX_INQUIRY_TEXT)]


class WritePlan(Arguments):
    task_id: Annotated[Id, Field(description="From list_tasks_kandev.")]
    content: Annotated[
        str,
        Field(min_length=1, max_length=MAX_PLAN_BYTES, description="The whole plan, in Markdown."),
    ]
    title: Annotated[
        str | None,
        Field(min_length=1, max_length=MAX_TITLE, description="Null keeps what it is called."),
    ] = None


class AskedOption(Arguments):
    label: Annotated[Text, Field(description="What the user chooses, in a few words.")]
    description: Annotated[Text, Field(description="What choosing it means.")]


class AskedQuestion(Arguments):
    prompt: Annotated[Text, Field(description="The question.")]
    options: Annotated[
        list[AskedOption],
        Field(min_length=MIN_OPTIONS, max_length=MAX_OPTIONS, description="What it offers."),
    ]


class AskUserQuestion(Arguments):
    questions: Annotated[list[AskedQuestion], Field(min_length=1, max_length=MAX_QUESTIONS)]
    context: Annotated[
        str | None,
        Field(max_length=MAX_INQUIRY_TEXT, description="What the user needs to know first."),
    ] = None


class GivenReply(Arguments):
    question_id: Annotated[Id, Field(description="From list_pending_questions_kandev.")]
    selected_options: Annotated[
        list[Text], Field(max_length=MAX_OPTIONS, description="Labels that it offers.")
    ] = []
    custom_text: Annotated[
        str | None, Field(max_length=MAX_INQUIRY_TEXT, description="Words of the user's own.")
    ] = None


class AnswerQuestion(Arguments):
    pending_id: Annotated[Id, Field(description="From list_pending_questions_kandev.")]
    answers: Annotated[
        list[GivenReply],
        Field(max_length=MAX_QUESTIONS, description="One for each question; empty to reject."),
    ] = []
    reject_reason: Annotated[
        str | None,
        Field(max_length=MAX_INQUIRY_TEXT, description="Why there is no answer; null with one."),
    ] = None


class TaskSession(Arguments):
    task_id: Annotated[Id, Field(description="From list_tasks_kandev.")]
    session_id: Annotated[
        Id, Field(description="A session of this task, from list_sessions_kandev.")
    ]


class GetConversation(TaskSession):
    after: Annotated[
        int, Field(ge=0, le=2**53, description="`next_after` of the page before; 0 for the start.")
    ] = 0
    limit: Annotated[
        int, Field(ge=1, le=MAX_CONVERSATION, description="Events in the answer at most.")
    ] = DEFAULT_CONVERSATION
    kinds: Annotated[
        list[Annotated[EventKind, Field(strict=False)]],
        Field(max_length=len(EventKind), description="Only events of these kinds; empty for all."),
    ] = []


class MessageTask(Arguments):
    task_id: Annotated[Id, Field(description="From list_tasks_kandev.")]
    prompt: Annotated[Prompt, Field(description="What to tell the agent.")]
    delivery_mode: Annotated[
        Literal["queued", "interrupt"],
        Field(
            description="`queued` waits for the end of the turn that runs, `interrupt` ends it. An"
            " agent interrupts the children of its task alone."
        ),
    ] = "queued"
    session_id: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_ID,
            description="A session of this task; null for its newest live one.",
        ),
    ] = None


class SpawnSession(Arguments):
    task_id: Annotated[Id, Field(description="From list_tasks_kandev.")]
    agent: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_ID,
            description="The name of an agent, from list_agents_kandev; null for the profile's, or"
            " without one for the agent that the task had last.",
        ),
    ] = None
    prompt: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_PROMPT_BYTES,
            description="What to tell the agent first; null for the task's own prompt.",
        ),
    ] = None
    agent_profile_id: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_ID,
            description="From list_agent_profiles_kandev; null for none.",
        ),
    ] = None
    executor_profile_id: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_ID,
            description="From list_executor_profiles_kandev; null for a worktree.",
        ),
    ] = None


class PermissionAnswer(TaskSession):
    request_id: Annotated[Id, Field(description="From list_pending_permissions_kandev.")]
    option_id: Annotated[
        str | None,
        Field(
            max_length=MAX_ID,
            description="One of the options that the request offered; null to choose none.",
        ),
    ]


class GetDiagnosticBundle(Arguments):
    source: Annotated[
        Literal["backend", "frontend", "all"],
        Field(
            description="`backend` for Kandev's own log, `frontend` for what browsers logged,"
            " `all` for both."
        ),
    ]


Model = TypeVar("Model", bound=Arguments)

_KEYWORDS = {
    "missing": "required",
    "extra_forbidden": "additionalProperties",
    "string_too_long": "maxLength",
    "string_too_short": "minLength",
    "too_long": "maxItems",
    "too_short": "minItems",
    "greater_than_equal": "minimum",
    "less_than_equal": "maximum",
    "enum": "enum",
    "literal_error": "enum",
    "string_pattern_mismatch": "pattern",
}
_ABOUT_THE_PARENT = {"required", "additionalProperties"}


def parse(model: type[Model], given: dict[str, Any] | None) -> Result[Model, str]:
    """The arguments, or where and how they break the schema; absent ones are none."""
    try:
        return Success(model.model_validate(given if given is not None else {}))
    except ValidationError as error:
        return Failure(told(error.errors(include_url=False, include_input=False)))


def told(errors: list[ErrorDetails]) -> str:
    """The first place that is wrong, and all that is missing there, in the order of names."""
    where, keyword = min((place(each), rule(each)) for each in errors)
    text = f"validation failed at {where} (keyword: {keyword}"
    if keyword == "required":
        absent = sorted(
            str(each["loc"][-1]) for each in errors if (place(each), rule(each)) == (where, keyword)
        )
        text += "; missing: " + ", ".join(f'"{name}"' for name in absent)
    return text + ")"


def rule(error: ErrorDetails) -> str:
    return _KEYWORDS.get(error["type"], "type")


def place(error: ErrorDetails) -> str:
    """A JSON pointer, `$` for the root."""
    steps = error["loc"][:-1] if rule(error) in _ABOUT_THE_PARENT else error["loc"]
    escaped = (str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return "".join(f"/{step}" for step in escaped) or "$"
