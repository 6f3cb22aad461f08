"""The rows of words: plans of tasks, what agents ask and report, prompts that are saved."""

from typing import ClassVar

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

__all__ = ("InquiryRow", "SavedPromptRow", "StepReportRow", "TaskPlanRow")


class TaskPlanRow(SQLModel, table=True):
    __tablename__ = "task_plans"

    task_id: str = Field(primary_key=True, foreign_key="tasks.id", ondelete="CASCADE")
    title: str
    content: str
    updated_at: str


class InquiryRow(SQLModel, table=True):
    """`questions` and `resolution` are JSON; one without a resolution waits for it."""

    __tablename__ = "inquiries"
    __table_args__: ClassVar = (Index("ix_inquiries_task", "task_id", "id"),)

    id: str = Field(primary_key=True)
    task_id: str = Field(foreign_key="tasks.id", ondelete="CASCADE")
    session_id: str = Field(foreign_key="task_sessions.id", ondelete="CASCADE")
    context: str
    questions: str
    asked_at: str
    resolution: str | None


class SavedPromptRow(SQLModel, table=True):
    """`arguments` is JSON."""

    __tablename__ = "saved_prompts"
    __table_args__: ClassVar = (
        UniqueConstraint("workspace_id", "name", name="uq_saved_prompts_name"),
        Index("ix_saved_prompts_workspace", "workspace_id", "id"),
    )

    id: str = Field(primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id", ondelete="CASCADE")
    name: str
    description: str
    text: str
    arguments: str
    created_at: str
    version: int


class StepReportRow(SQLModel, table=True):
    __tablename__ = "step_reports"

    task_id: str = Field(primary_key=True, foreign_key="tasks.id", ondelete="CASCADE")
    session_id: str
    summary: str
    handoff: str
    blockers: str
    at: str
