"""The plans of tasks, and what agents ask their users."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)


def upgrade() -> None:
    op.create_table(
        "task_plans",
        sa.Column(
            "task_id", sa.String, sa.ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("content", sa.String, nullable=False),
        sa.Column("updated_at", sa.String, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "inquiries",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column(
            "task_id", sa.String, sa.ForeignKey("tasks.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column(
            "session_id",
            sa.String,
            sa.ForeignKey("task_sessions.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("context", sa.String, nullable=False),
        sa.Column("questions", sa.String, nullable=False),
        sa.Column("asked_at", sa.String, nullable=False),
        sa.Column("resolution", sa.String),
        if_not_exists=True,
    )
    op.create_index("ix_inquiries_task", "inquiries", ["task_id", "id"], if_not_exists=True)
