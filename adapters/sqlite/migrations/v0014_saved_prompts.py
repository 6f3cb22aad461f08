"""Saved prompts of workspaces."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)


def upgrade() -> None:
    op.create_table(
        "saved_prompts",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column(
            "workspace_id",
            sa.String,
            sa.ForeignKey("workspaces.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("description", sa.String, nullable=False),
        sa.Column("text", sa.String, nullable=False),
        sa.Column("arguments", sa.String, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.UniqueConstraint("workspace_id", "name", name="uq_saved_prompts_name"),
        if_not_exists=True,
    )
    op.create_index(
        "ix_saved_prompts_workspace", "saved_prompts", ["workspace_id", "id"], if_not_exists=True
    )
