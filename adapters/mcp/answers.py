"""What the tools give: structured content, each shape made by one function from a domain value."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from typing_extensions import override

from domain.event import EventKind, SessionEvent
from domain.inquiry import Inquiry
from domain.registered_repository import Repository
from domain.session import Session, SessionState
from domain.task import Task, TaskState
from domain.task_plan import TaskPlan
from domain.workspace import Workspace
from ports.agents import Installed

__all__ = (
    "AgentAnswer",
    "Agents",
    "Answer",
    "BundleFile",
    "BundleWarning",
    "ClaimedAnswer",
    "Conversation",
    "CreatedTask",
    "DiagnosticBundle",
    "EventAnswer",
    "InquiryAnswer",
    "MessageAnswer",
    "PendingQuestions",
    "PlanAnswer",
    "RelatedTasks",
    "Removed",
    "Repositories",
    "RepositoryAnswer",
    "SessionAnswer",
    "Sessions",
    "TaskAnswer",
    "Tasks",
    "WorkspaceAnswer",
    "Workspaces",
)


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True)


class WorkspaceAnswer(Answer):
    id: str
    name: str
    task_git_credentials_mode: str

    @classmethod
    def of(cls, workspace: Workspace) -> "WorkspaceAnswer":
        return cls(
            id=workspace.id,
            name=workspace.name,
            task_git_credentials_mode=workspace.mode.value,
        )


class Workspaces(Answer):
    """`next_after` is null on the last page."""

    workspaces: list[WorkspaceAnswer]
    next_after: str | None


class RepositoryAnswer(Answer):
    id: str
    name: str
    default_branch: str

    @classmethod
    def of(cls, repository: Repository) -> "RepositoryAnswer":
        return cls(id=repository.id, name=repository.name, default_branch=repository.default_branch)


class Repositories(Answer):
    repositories: list[RepositoryAnswer]


class TaskSummary(Answer):
    id: str
    workspace_id: str
    parent_id: str | None
    external_id: str | None
    title: str
    state: TaskState
    created_at: datetime

    @classmethod
    def of(cls, task: Task) -> "TaskSummary":
        return cls(
            id=task.id,
            workspace_id=task.workspace,
            parent_id=task.parent,
            external_id=task.external_id,
            title=task.title,
            state=task.state,
            created_at=task.created_at,
        )


class Tasks(Answer):
    """`next_after` is null on the last page."""

    tasks: list[TaskSummary]
    next_after: str | None


class RelatedTasks(Answer):
    """`parent` is null for a task that is no part of another."""

    task: TaskSummary
    parent: TaskSummary | None
    children: list[TaskSummary]
    siblings: list[TaskSummary]


class TaskRepositoryAnswer(Answer):
    repository_id: str
    base_branch: str | None


class TaskAnswer(TaskSummary):
    prompt: str
    repositories: list[TaskRepositoryAnswer]

    @classmethod
    @override
    def of(cls, task: Task) -> "TaskAnswer":
        return cls(
            **TaskSummary.of(task).model_dump(),
            prompt=task.prompt,
            repositories=[
                TaskRepositoryAnswer(repository_id=each.repository, base_branch=each.base)
                for each in task.repositories
            ],
        )


class CreatedTask(TaskAnswer):
    """`deduplicated` is true when the external id was a task's already: nothing was created."""

    deduplicated: bool = False

    @classmethod
    def told(cls, task: Task, *, deduplicated: bool) -> "CreatedTask":
        return cls(**TaskAnswer.of(task).model_dump(), deduplicated=deduplicated)


class FailureAnswer(Answer):
    code: str
    detail: str


class SessionAnswer(Answer):
    id: str
    task_id: str
    agent: str
    state: SessionState
    failure: FailureAnswer | None
    created_at: datetime

    @classmethod
    def of(cls, session: Session) -> "SessionAnswer":
        failure = session.failure
        return cls(
            id=session.id,
            task_id=session.task,
            agent=session.agent,
            state=session.state,
            failure=FailureAnswer(code=failure.code, detail=failure.detail) if failure else None,
            created_at=session.created_at,
        )


class AgentAnswer(Answer):
    name: str
    title: str
    installed: bool

    @classmethod
    def of(cls, each: Installed) -> "AgentAnswer":
        return cls(name=each.agent.name, title=each.agent.title, installed=each.program is not None)


class Agents(Answer):
    agents: list[AgentAnswer]


class Sessions(Answer):
    sessions: list[SessionAnswer]


class EventAnswer(Answer):
    sequence: int
    at: datetime
    kind: EventKind
    turn: int | None
    body: dict[str, Any]

    @classmethod
    def of(cls, event: SessionEvent) -> "EventAnswer":
        return cls(
            sequence=event.sequence,
            at=event.at,
            kind=event.kind,
            turn=event.generation,
            body=event.body,
        )


class Conversation(Answer):
    """Ask again with `after` = `next_after` for what follows; `more` says whether it is there."""

    events: list[EventAnswer]
    next_after: int
    more: bool


class PlanAnswer(Answer):
    task_id: str
    title: str
    content: str
    updated_at: datetime

    @classmethod
    def of(cls, plan: TaskPlan) -> "PlanAnswer":
        return cls(
            task_id=plan.task, title=plan.title, content=plan.content, updated_at=plan.updated_at
        )


class Removed(Answer):
    task_id: str


class OptionAnswer(Answer):
    label: str
    description: str


class QuestionAnswer(Answer):
    id: str
    prompt: str
    options: list[OptionAnswer]


class ReplyAnswer(Answer):
    question_id: str
    selected_options: list[str]
    custom_text: str


class InquiryAnswer(Answer):
    """`rejected` is why the user gives no answer; null where there is one, or none yet."""

    pending_id: str
    task_id: str
    session_id: str
    context: str
    questions: list[QuestionAnswer]
    answers: list[ReplyAnswer]
    rejected: str | None

    @classmethod
    def of(cls, inquiry: Inquiry) -> "InquiryAnswer":
        resolution = inquiry.resolution
        return cls(
            pending_id=inquiry.id,
            task_id=inquiry.task,
            session_id=inquiry.session,
            context=inquiry.context,
            questions=[
                QuestionAnswer(
                    id=each.id,
                    prompt=each.prompt,
                    options=[
                        OptionAnswer(label=option.label, description=option.description)
                        for option in each.options
                    ],
                )
                for each in inquiry.questions
            ],
            answers=[
                ReplyAnswer(
                    question_id=each.question,
                    selected_options=list(each.selected),
                    custom_text=each.text,
                )
                for each in (resolution.replies if resolution is not None else ())
            ],
            rejected=resolution.rejection if resolution is not None else None,
        )


class PendingQuestions(Answer):
    """`next_after` is null on the last page."""

    pending: list[InquiryAnswer]
    next_after: str | None


class ClaimedAnswer(Answer):
    """`claimed` is false when somebody answered before: `resolution` is theirs."""

    claimed: bool
    resolution: InquiryAnswer


class MessageAnswer(Answer):
    """What the agent says arrives in the conversation. A prompt that waits has no turn yet.

    `sent` waits for no more than the end of the turn that is being cancelled for it.
    """

    session_id: str
    status: Literal["started", "queued", "sent"]
    turn_id: str | None
    turn: int | None


class BundleFile(Answer):
    """`length` bytes from `offset` of a file that had `size`: the rest was left out."""

    name: str
    size: int
    offset: int
    length: int


class BundleWarning(Answer):
    code: str
    source: str
    detail: str


class DiagnosticBundle(Answer):
    """`path` is for the working directory; where there is too much to list, it is counted.

    `files` are then counted by source and `warnings` by code. `losses` are the log entries that
    were not kept, by sink, level and reason, `redactions` the secrets that were masked, by source.
    """

    bundle_id: str
    path: str
    absolute_path: str
    bytes: int
    status: str
    age_seconds: float
    requested_sources: list[str]
    included_sources: list[str]
    files: list[BundleFile] | dict[str, int]
    omitted_bytes: int
    losses: dict[str, dict[str, dict[str, int]]]
    redactions: dict[str, int]
    warnings: list[BundleWarning] | dict[str, int]
