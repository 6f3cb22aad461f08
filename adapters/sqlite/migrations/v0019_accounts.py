"""Accounts, where they are signed in, and invitations to make one."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("email", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("active", sa.Integer, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sa.UniqueConstraint("email", name="uq_accounts_email"),
        if_not_exists=True,
    )
    op.create_table(
        "account_passwords",
        _account(primary_key=True),
        sa.Column("kept", sa.String, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.String, primary_key=True),
        _account(nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("agent", sa.String, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("seen_at", sa.String, nullable=False),
        sa.UniqueConstraint("digest", name="uq_sign_ins_digest"),
        if_not_exists=True,
    )
    op.create_index("ix_sign_ins_user", "sign_ins", ["user_id", "id"], if_not_exists=True)
    op.create_table(
        "invitations",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("email", sa.String),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("invited_by", sa.String, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("expires_at", sa.String, nullable=False),
        sa.UniqueConstraint("digest", name="uq_invitations_digest"),
        if_not_exists=True,
    )


def _account(*, primary_key: bool = False, nullable: bool = True) -> sa.Column[str]:
    return sa.Column(
        "user_id",
        sa.String,
        sa.ForeignKey("accounts.id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=nullable and not primary_key,
    )
