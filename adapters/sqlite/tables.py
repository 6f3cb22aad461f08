"""The rows of the store; they never leave this adapter, and nothing here validates.

Instants are text in UTC with microseconds, so that they sort as they follow; JSON is text. A new
column comes by a migration of its own, and this page says what all migrations together make.
"""

from typing import ClassVar

from sqlalchemy import (
    CheckConstraint,
    Column,
    Index,
    LargeBinary,
    String,
    Table,
    UniqueConstraint,
    text,
)
from sqlmodel import Field, SQLModel

__all__ = (
    "AgentctlRow",
    "ConnectionRevisionRow",
    "ConnectionRow",
    "CounterRow",
    "ExecutionRow",
    "LeaseRow",
    "LedgerRow",
    "ProfileRow",
    "ProfileVariableRow",
    "QueuedPromptRow",
    "RepositoryRow",
    "RepositorySettingsRow",
    "RepositoryVariableRow",
    "SessionEventRow",
    "SessionRow",
    "TaskEventRow",
    "TaskRepositoryRow",
    "TaskRow",
    "TurnRow",
    "WorkspaceRow",
    "WorkspaceSettingsRow",
    "table",
)


def table(row: type[SQLModel]) -> Table:
    return SQLModel.metadata.tables[str(row.__tablename__)]


class WorkspaceRow(SQLModel, table=True):
    __tablename__ = "workspaces"
    __table_args__: ClassVar = (Index("ix_workspaces_owner", "owner_id", "id"),)

    id: str = Field(primary_key=True)
    name: str
    created_at: str
    owner_id: str = Field(default="owner", sa_column_kwargs={"server_default": "owner"})


class WorkspaceSettingsRow(SQLModel, table=True):
    __tablename__ = "github_workspace_settings"

    workspace_id: str = Field(primary_key=True, foreign_key="workspaces.id", ondelete="CASCADE")
    task_git_credentials_mode: str = Field(
        default="managed", sa_column_kwargs={"server_default": "managed"}
    )
    accept_ambient_netrc: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class ConnectionRow(SQLModel, table=True):
    __tablename__ = "github_workspace_connections"
    __table_args__: ClassVar = (
        UniqueConstraint("workspace_id", "host", name="uq_connections_workspace_host"),
    )

    id: str = Field(primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id", ondelete="CASCADE")
    host: str
    kind: str
    login: str | None
    status: str
    revision: int
    certificate_authority: str | None
    sealed: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    account: str | None


class ConnectionRevisionRow(SQLModel, table=True):
    __tablename__ = "connection_revisions"

    workspace_id: str = Field(primary_key=True, foreign_key="workspaces.id", ondelete="CASCADE")
    host: str = Field(primary_key=True)
    revision: int


class RepositoryRow(SQLModel, table=True):
    __tablename__ = "repositories"
    __table_args__: ClassVar = (
        CheckConstraint("(clone_url IS NULL) <> (local_path IS NULL)", name="ck_one_source"),
        CheckConstraint(
            "(identity_host IS NULL) = (identity_path IS NULL)", name="ck_whole_identity"
        ),
        Index("ix_repositories_workspace", "workspace_id", "id"),
    )

    id: str = Field(primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id", ondelete="CASCADE")
    name: str
    clone_url: str | None
    local_path: str | None
    identity_host: str | None
    identity_path: str | None
    default_branch: str
    created_at: str


class RepositorySettingsRow(SQLModel, table=True):
    __tablename__ = "repository_settings"

    repository_id: str = Field(primary_key=True, foreign_key="repositories.id", ondelete="CASCADE")
    copy_files: str
    setup_script: str = Field(default="", sa_column_kwargs={"server_default": ""})
    cleanup_script: str = Field(default="", sa_column_kwargs={"server_default": ""})
    on_setup_failure: str = Field(
        default="continue", sa_column_kwargs={"server_default": "continue"}
    )
    worktree_branch_template: str = Field(default="", sa_column_kwargs={"server_default": ""})


class RepositoryVariableRow(SQLModel, table=True):
    """A literal, a sealed secret, or a secret that was not given yet: neither."""

    __tablename__ = "repository_variables"
    __table_args__: ClassVar = (
        CheckConstraint("value IS NULL OR sealed IS NULL", name="ck_repository_variable"),
    )

    repository_id: str = Field(primary_key=True, foreign_key="repositories.id", ondelete="CASCADE")
    name: str = Field(primary_key=True)
    value: str | None
    sealed: bytes | None = Field(sa_column=Column(LargeBinary))


class ProfileRow(SQLModel, table=True):
    __tablename__ = "profiles"
    __table_args__: ClassVar = (
        UniqueConstraint("workspace_id", "kind", "name", name="uq_profiles_name"),
        Index("ix_profiles_workspace", "workspace_id", "kind", "id"),
    )

    id: str = Field(primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id", ondelete="CASCADE")
    kind: str
    name: str
    choice: str
    created_at: str
    version: int


class ProfileVariableRow(SQLModel, table=True):
    """As those of a repository."""

    __tablename__ = "profile_variables"
    __table_args__: ClassVar = (
        CheckConstraint("value IS NULL OR sealed IS NULL", name="ck_profile_variable"),
    )

    profile_id: str = Field(primary_key=True, foreign_key="profiles.id", ondelete="CASCADE")
    name: str = Field(primary_key=True)
    value: str | None
    sealed: bytes | None = Field(sa_column=Column(LargeBinary))


class TaskRow(SQLModel, table=True):
    """A workspace with tasks is not removed before them: each removal is an event of its own."""

    __tablename__ = "tasks"
    __table_args__: ClassVar = (
        Index("ix_tasks_workspace", "workspace_id", "id"),
        Index("ix_tasks_parent", "parent_id", "id"),
        Index("ix_tasks_external", "workspace_id", "external_id", unique=True),
    )

    id: str = Field(primary_key=True)
    workspace_id: str = Field(foreign_key="workspaces.id")
    title: str
    prompt: str
    state: str
    created_at: str
    parent_id: str | None = None
    external_id: str | None = None


class TaskRepositoryRow(SQLModel, table=True):
    """A repository that a task works in is not removed before the task stops naming it."""

    __tablename__ = "task_repositories"
    __table_args__: ClassVar = (Index("ix_task_repositories_repository", "repository_id"),)

    task_id: str = Field(primary_key=True, foreign_key="tasks.id", ondelete="CASCADE")
    position: int = Field(primary_key=True)
    repository_id: str = Field(foreign_key="repositories.id")
    base: str | None
    checkout: str | None = None
    pull_request: int | None = None


class SessionRow(SQLModel, table=True):
    __tablename__ = "task_sessions"
    __table_args__: ClassVar = (
        Index("ix_task_sessions_task", "task_id", "id"),
        Index("ix_task_sessions_state", "state"),
    )

    id: str = Field(primary_key=True)
    task_id: str = Field(foreign_key="tasks.id", ondelete="CASCADE")
    agent: str
    state: str
    execution_id: str | None
    acp_session: str | None
    failure_code: str | None
    failure_detail: str | None
    metadata_json: str = Field(sa_column=Column("metadata", String, nullable=False))
    created_at: str
    version: int
    agent_profile_id: str | None
    executor_profile_id: str | None


class ExecutionRow(SQLModel, table=True):
    __tablename__ = "executions"
    __table_args__: ClassVar = (
        Index("ix_executions_session", "session_id"),
        Index("ix_executions_task", "task_id"),
        Index("ix_executions_state", "state"),
    )

    id: str = Field(primary_key=True)
    task_id: str = Field(foreign_key="tasks.id", ondelete="CASCADE")
    session_id: str = Field(foreign_key="task_sessions.id", ondelete="CASCADE")
    executor: str
    state: str
    acknowledged: int
    created_at: str


class TurnRow(SQLModel, table=True):
    __tablename__ = "task_session_turns"
    __table_args__: ClassVar = (
        UniqueConstraint("session_id", "generation", name="uq_turns_generation"),
        Index(
            "uq_turns_running",
            "session_id",
            unique=True,
            sqlite_where=text("state = 'running'"),
            postgresql_where=text("state = 'running'"),
        ),
        Index("ix_turns_execution", "execution_id"),
    )

    id: str = Field(primary_key=True)
    session_id: str = Field(foreign_key="task_sessions.id", ondelete="CASCADE")
    execution_id: str = Field(foreign_key="executions.id", ondelete="CASCADE")
    generation: int
    prompt: str
    state: str
    started_at: str
    ended_at: str | None
    stop_reason: str | None
    error: str | None
    reason: str | None
    evidence: str | None


class QueuedPromptRow(SQLModel, table=True):
    __tablename__ = "queued_prompts"
    __table_args__: ClassVar = (Index("ix_queued_prompts_session", "session_id", "position"),)

    id: str = Field(primary_key=True)
    session_id: str = Field(foreign_key="task_sessions.id", ondelete="CASCADE")
    position: int
    prompt: str
    queued_at: str
    urgent: int
    turn_id: str | None = Field(foreign_key="task_session_turns.id", ondelete="CASCADE")


class SessionEventRow(SQLModel, table=True):
    __tablename__ = "session_events"
    __table_args__: ClassVar = (
        UniqueConstraint("execution_id", "execution_sequence", name="uq_events_execution"),
    )

    session_id: str = Field(primary_key=True, foreign_key="task_sessions.id", ondelete="CASCADE")
    sequence: int = Field(primary_key=True)
    execution_id: str = Field(foreign_key="executions.id", ondelete="CASCADE")
    execution_sequence: int
    at: str
    kind: str
    generation: int | None
    body: str


class LeaseRow(SQLModel, table=True):
    """A lease outlives its connection: that it was revoked stays told."""

    __tablename__ = "credential_leases"
    __table_args__: ClassVar = (
        UniqueConstraint("token_hash", name="uq_leases_token"),
        Index("ix_leases_execution", "execution_id"),
        Index("ix_leases_session", "session_id"),
        Index("ix_leases_task", "task_id"),
        Index("ix_leases_connection", "connection_id"),
        Index("ix_leases_workspace", "workspace_id", "expires_at"),
    )

    id: str = Field(primary_key=True)
    token_hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    workspace_id: str = Field(foreign_key="workspaces.id", ondelete="CASCADE")
    task_id: str = Field(foreign_key="tasks.id", ondelete="CASCADE")
    session_id: str = Field(foreign_key="task_sessions.id", ondelete="CASCADE")
    execution_id: str = Field(foreign_key="executions.id", ondelete="CASCADE")
    repository_id: str
    host: str
    path: str
    connection_id: str
    revision: int
    issued_at: str
    expires_at: str
    revoked_at: str | None


class LedgerRow(SQLModel, table=True):
    """Refers to no other table: an entry outlives what it tells of."""

    __tablename__ = "credential_ledger"
    __table_args__: ClassVar = (
        Index("ix_ledger_at", "at"),
        Index("ix_ledger_workspace", "workspace_id", "sequence"),
        Index("ix_ledger_task", "task_id", "sequence"),
        Index("ix_ledger_session", "session_id", "sequence"),
        {"sqlite_autoincrement": True},
    )

    sequence: int = Field(primary_key=True)
    at: str
    operation: str
    result: str
    detail: str
    workspace_id: str | None
    task_id: str | None
    session_id: str | None
    execution_id: str
    repository_id: str | None
    host: str
    path: str
    actor: str | None
    pid: int | None
    descent: str | None
    redemption: int | None


class AgentctlRow(SQLModel, table=True):
    __tablename__ = "agentctl"
    __table_args__: ClassVar = (CheckConstraint("id = 1", name="ck_one_agentctl"),)

    id: int = Field(primary_key=True)
    socket: str
    pid: int
    started: int
    sealed_key: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class CounterRow(SQLModel, table=True):
    __tablename__ = "counters"

    name: str = Field(primary_key=True)
    value: int


class TaskEventRow(SQLModel, table=True):
    """The outbox. Its numbers are never given twice, not even after its rows were removed."""

    __tablename__ = "task_events"
    __table_args__: ClassVar = {"sqlite_autoincrement": True}

    sequence: int = Field(primary_key=True)
    task_id: str
    change: str
    task: str
    at: str
