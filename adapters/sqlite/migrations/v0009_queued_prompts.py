"""Prompts that wait for the turns of their session."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE = "queued_prompts"


def upgrade() -> None:
    op.create_table(
        _TABLE,
        sa.Column("id", sa.String, primary_key=True),
        sa.Column(
            "session_id",
            sa.String,
            sa.ForeignKey("task_sessions.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("prompt", sa.String, nullable=False),
        sa.Column("queued_at", sa.String, nullable=False),
        sa.Column("urgent", sa.Integer, nullable=False),
        sa.Column("turn_id", sa.String, sa.ForeignKey("task_session_turns.id", ondelete="CASCADE")),
        if_not_exists=True,
    )
    op.create_index(
        "ix_queued_prompts_session", _TABLE, ["session_id", "position"], if_not_exists=True
    )
