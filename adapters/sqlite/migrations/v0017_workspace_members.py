"""Whose a workspace is, and who works in it; those from before are the home's owner's."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)


def upgrade() -> None:
    inspected = sa.inspect(op.get_bind())
    if "owner_id" not in {column["name"] for column in inspected.get_columns("workspaces")}:
        op.add_column(
            "workspaces", sa.Column("owner_id", sa.String, nullable=False, server_default="owner")
        )
    op.create_index("ix_workspaces_owner", "workspaces", ["owner_id", "id"], if_not_exists=True)
    op.create_table(
        "workspace_members",
        sa.Column(
            "workspace_id",
            sa.String,
            sa.ForeignKey("workspaces.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("user_id", sa.String, primary_key=True),
        sa.Column("since", sa.String, nullable=False),
        if_not_exists=True,
    )
    op.create_index(
        "ix_workspace_members_user",
        "workspace_members",
        ["user_id", "workspace_id"],
        if_not_exists=True,
    )
    known = {column["name"] for column in inspected.get_columns("access_tokens")}
    if "workspaces" not in known:
        op.add_column("access_tokens", sa.Column("workspaces", sa.String))
