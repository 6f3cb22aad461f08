"""What the tools take and give that say how far the work on a task is."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import override

from adapters.mcp.answers import Answer, TaskAnswer
from adapters.mcp.arguments import Arguments, Id
from domain.step_report import MAX_REPORT_BYTES, StepReport
from domain.task import Task, TaskState

__all__ = ("CompleteStep", "MoveTask", "ReportAnswer", "StepAnswer", "TaskDetail")

Words = Annotated[str, Field(min_length=1, max_length=MAX_REPORT_BYTES)]


class MoveTask(Arguments):
    task_id: Annotated[Id, Field(description="From list_tasks_kandev.")]
    state: Annotated[
        Literal["open", "review", "done"],
        Field(
            description="`open` is to be worked on, `review` is to be looked at, `done` is done."
            " An agent says `done` of the children of its task alone."
        ),
    ]


class CompleteStep(Arguments):
    summary: Annotated[Words, Field(description="What you did, for who looks at it.")]
    handoff: Annotated[
        str | None,
        Field(max_length=MAX_REPORT_BYTES, description="What whoever goes on needs to know."),
    ] = None
    blockers: Annotated[
        str | None,
        Field(max_length=MAX_REPORT_BYTES, description="What kept you from doing more."),
    ] = None


class StepAnswer(Answer):
    """`state` is the one that the task is in now."""

    accepted: bool
    reason: Literal["already_signaled"] | None
    state: TaskState


class ReportAnswer(Answer):
    session_id: str
    summary: str
    handoff: str
    blockers: str
    at: datetime

    @classmethod
    def of(cls, report: StepReport) -> "ReportAnswer":
        words = report.words
        return cls(
            session_id=report.session,
            summary=words.summary,
            handoff=words.handoff,
            blockers=words.blockers,
            at=report.at,
        )


class TaskDetail(TaskAnswer):
    """`report` is the last that an agent gave when it had done its part; null for none."""

    report: ReportAnswer | None = None

    @classmethod
    @override
    def of(cls, task: Task, report: StepReport | None = None) -> "TaskDetail":
        return cls(
            **TaskAnswer.of(task).model_dump(),
            report=ReportAnswer.of(report) if report is not None else None,
        )
