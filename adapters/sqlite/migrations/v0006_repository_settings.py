"""What repositories ask for in each new worktree; a repository without a row asks for nothing."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)


def upgrade() -> None:
    op.create_table(
        "repository_settings",
        sa.Column(
            "repository_id",
            sa.String,
            sa.ForeignKey("repositories.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("copy_files", sa.String, nullable=False),
        if_not_exists=True,
    )
