"""The rows of what is said about tasks: plans, and what agents ask their users."""

from typing import ClassVar

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

__all__ = ("InquiryRow", "TaskPlanRow")


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
