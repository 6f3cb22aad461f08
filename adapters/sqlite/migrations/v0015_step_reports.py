"""What agents said when they had done what their tasks ask."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)


def upgrade() -> None:
    op.create_table(
        "step_reports",
        sa.Column(
            "task_id", sa.String, sa.ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("session_id", sa.String, nullable=False),
        sa.Column("summary", sa.String, nullable=False),
        sa.Column("handoff", sa.String, nullable=False),
        sa.Column("blockers", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        if_not_exists=True,
    )
