"""Profiles, the variables of profiles and repositories, and which profiles a session has."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_SESSIONS = "task_sessions"
_COLUMNS = ("agent_profile_id", "executor_profile_id")


def upgrade() -> None:
    op.create_table(
        "profiles",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column(
            "workspace_id",
            sa.String,
            sa.ForeignKey("workspaces.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("choice", sa.String, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.UniqueConstraint("workspace_id", "kind", "name", name="uq_profiles_name"),
        if_not_exists=True,
    )
    op.create_index(
        "ix_profiles_workspace", "profiles", ["workspace_id", "kind", "id"], if_not_exists=True
    )
    _variables("profile", "profiles.id")
    _variables("repository", "repositories.id")
    known = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(_SESSIONS)}
    for column in _COLUMNS:
        if column not in known:
            op.add_column(_SESSIONS, sa.Column(column, sa.String))


def _variables(owner: str, key: str) -> None:
    op.create_table(
        f"{owner}_variables",
        sa.Column(
            f"{owner}_id", sa.String, sa.ForeignKey(key, ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("value", sa.String),
        sa.Column("sealed", sa.LargeBinary),
        sa.CheckConstraint("value IS NULL OR sealed IS NULL", name=f"ck_{owner}_variable"),
        if_not_exists=True,
    )
