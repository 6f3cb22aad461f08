"""Access tokens of users."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)


def upgrade() -> None:
    op.create_table(
        "access_tokens",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("scopes", sa.String, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("expires_at", sa.String, nullable=False),
        sa.UniqueConstraint("digest", name="uq_access_tokens_digest"),
        if_not_exists=True,
    )
    op.create_index("ix_access_tokens_user", "access_tokens", ["user_id", "id"], if_not_exists=True)
