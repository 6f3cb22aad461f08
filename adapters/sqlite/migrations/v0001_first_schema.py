"""Workspaces, connections, repositories, tasks, sessions with their events, leases, the outbox."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)


def upgrade() -> None:
    _workspaces()
    _tasks()
    _sessions()
    _leases()
    _installation()


def _workspaces() -> None:
    op.create_table(
        "workspaces",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "github_workspace_settings",
        _owned_by("workspaces", "workspace_id", primary_key=True),
        if_not_exists=True,
    )
    op.create_table(
        "github_workspace_connections",
        sa.Column("id", sa.String, primary_key=True),
        _owned_by("workspaces", "workspace_id"),
        sa.Column("host", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("login", sa.String),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("certificate_authority", sa.String),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("workspace_id", "host", name="uq_connections_workspace_host"),
        if_not_exists=True,
    )
    op.create_table(
        "connection_revisions",
        _owned_by("workspaces", "workspace_id", primary_key=True),
        sa.Column("host", sa.String, primary_key=True),
        sa.Column("revision", sa.Integer, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "repositories",
        sa.Column("id", sa.String, primary_key=True),
        _owned_by("workspaces", "workspace_id"),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("clone_url", sa.String),
        sa.Column("local_path", sa.String),
        sa.Column("identity_host", sa.String),
        sa.Column("identity_path", sa.String),
        sa.Column("default_branch", sa.String, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sa.CheckConstraint("(clone_url IS NULL) <> (local_path IS NULL)", name="ck_one_source"),
        sa.CheckConstraint(
            "(identity_host IS NULL) = (identity_path IS NULL)", name="ck_whole_identity"
        ),
        if_not_exists=True,
    )
    _index("ix_repositories_workspace", "repositories", "workspace_id", "id")


def _tasks() -> None:
    op.create_table(
        "tasks",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace_id", sa.String, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("prompt", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        if_not_exists=True,
    )
    _index("ix_tasks_workspace", "tasks", "workspace_id", "id")
    op.create_table(
        "task_repositories",
        _owned_by("tasks", "task_id", primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("repository_id", sa.String, sa.ForeignKey("repositories.id"), nullable=False),
        sa.Column("base", sa.String),
        if_not_exists=True,
    )
    _index("ix_task_repositories_repository", "task_repositories", "repository_id")
    op.create_table(
        "task_events",
        sa.Column("sequence", sa.Integer, primary_key=True),
        sa.Column("task_id", sa.String, nullable=False),
        sa.Column("change", sa.String, nullable=False),
        sa.Column("task", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sqlite_autoincrement=True,
        if_not_exists=True,
    )


def _sessions() -> None:
    op.create_table(
        "task_sessions",
        sa.Column("id", sa.String, primary_key=True),
        _owned_by("tasks", "task_id"),
        sa.Column("agent", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("execution_id", sa.String),
        sa.Column("acp_session", sa.String),
        sa.Column("failure_code", sa.String),
        sa.Column("failure_detail", sa.String),
        sa.Column("metadata", sa.String, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        if_not_exists=True,
    )
    _index("ix_task_sessions_task", "task_sessions", "task_id", "id")
    _index("ix_task_sessions_state", "task_sessions", "state")
    op.create_table(
        "executions",
        sa.Column("id", sa.String, primary_key=True),
        _owned_by("tasks", "task_id"),
        _owned_by("task_sessions", "session_id"),
        sa.Column("executor", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("acknowledged", sa.Integer, nullable=False),
        sa.Column("created_at", sa.String, nullable=False),
        if_not_exists=True,
    )
    _index("ix_executions_session", "executions", "session_id")
    _index("ix_executions_task", "executions", "task_id")
    _index("ix_executions_state", "executions", "state")
    op.create_table(
        "task_session_turns",
        sa.Column("id", sa.String, primary_key=True),
        _owned_by("task_sessions", "session_id"),
        _owned_by("executions", "execution_id"),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("prompt", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("started_at", sa.String, nullable=False),
        sa.Column("ended_at", sa.String),
        sa.Column("stop_reason", sa.String),
        sa.Column("error", sa.String),
        sa.UniqueConstraint("session_id", "generation", name="uq_turns_generation"),
        if_not_exists=True,
    )
    op.create_index(
        "uq_turns_running",
        "task_session_turns",
        ["session_id"],
        unique=True,
        sqlite_where=sa.text("state = 'running'"),
        postgresql_where=sa.text("state = 'running'"),
        if_not_exists=True,
    )
    _index("ix_turns_execution", "task_session_turns", "execution_id")
    op.create_table(
        "session_events",
        _owned_by("task_sessions", "session_id", primary_key=True),
        sa.Column("sequence", sa.Integer, primary_key=True),
        _owned_by("executions", "execution_id"),
        sa.Column("execution_sequence", sa.Integer, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("generation", sa.Integer),
        sa.Column("body", sa.String, nullable=False),
        sa.UniqueConstraint("execution_id", "execution_sequence", name="uq_events_execution"),
        if_not_exists=True,
    )


def _leases() -> None:
    op.create_table(
        "credential_leases",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("token_hash", sa.LargeBinary, nullable=False),
        _owned_by("workspaces", "workspace_id"),
        _owned_by("tasks", "task_id"),
        _owned_by("task_sessions", "session_id"),
        _owned_by("executions", "execution_id"),
        sa.Column("repository_id", sa.String, nullable=False),
        sa.Column("host", sa.String, nullable=False),
        sa.Column("path", sa.String, nullable=False),
        sa.Column("connection_id", sa.String, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("issued_at", sa.String, nullable=False),
        sa.Column("expires_at", sa.String, nullable=False),
        sa.Column("revoked_at", sa.String),
        sa.UniqueConstraint("token_hash", name="uq_leases_token"),
        if_not_exists=True,
    )
    _index("ix_leases_execution", "credential_leases", "execution_id")
    _index("ix_leases_session", "credential_leases", "session_id")
    _index("ix_leases_task", "credential_leases", "task_id")
    _index("ix_leases_connection", "credential_leases", "connection_id")
    _index("ix_leases_workspace", "credential_leases", "workspace_id", "expires_at")


def _installation() -> None:
    op.create_table(
        "agentctl",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("socket", sa.String, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("started", sa.Integer, nullable=False),
        sa.Column("sealed_key", sa.LargeBinary, nullable=False),
        sa.CheckConstraint("id = 1", name="ck_one_agentctl"),
        if_not_exists=True,
    )
    op.create_table(
        "counters",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("value", sa.Integer, nullable=False),
        if_not_exists=True,
    )


def _owned_by(table: str, column: str, *, primary_key: bool = False) -> sa.Column[str]:
    """A reference to the row that this one goes away with."""
    return sa.Column(
        column,
        sa.String,
        sa.ForeignKey(f"{table}.id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


def _index(name: str, table: str, *columns: str) -> None:
    op.create_index(name, table, list(columns), if_not_exists=True)
