"""What travels over REST: the answers' shapes, each made by one function from a domain value."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from domain.account import Account, Role
from domain.connection import Connection
from domain.credential_policy import PolicyDescription
from domain.failure_reason import worth_retrying
from domain.registered_repository import Repository
from domain.session import Session
from domain.task import Task
from domain.turn import Turn
from domain.turn_evidence import RepositoryEvidence, Unknown
from domain.workspace import Workspace
from ports.agents import Installed

__all__ = (
    "AgentBody",
    "ConnectionBody",
    "RepositoryBody",
    "SessionBody",
    "SettingsBody",
    "TaskBody",
    "TurnBody",
    "WorkspaceBody",
)


class AccountBody(msgspec.Struct, frozen=True):
    id: str
    email: str
    name: str
    role: Role
    active: bool
    created_at: datetime

    @classmethod
    def of(cls, account: Account) -> "AccountBody":
        return cls(
            account.id,
            account.email,
            account.name,
            account.role,
            account.active,
            account.created_at,
        )


class WorkspaceBody(msgspec.Struct, frozen=True):
    id: str
    name: str
    owner_id: str
    task_git_credentials_mode: str
    created_at: datetime

    @classmethod
    def of(cls, workspace: Workspace) -> "WorkspaceBody":
        return cls(
            workspace.id,
            workspace.name,
            workspace.owner,
            workspace.mode.value,
            workspace.created_at,
        )


class ConnectionBody(msgspec.Struct, frozen=True):
    """A connection without its secret, which no answer holds."""

    id: str
    host: str
    method: str
    login: str | None
    status: str
    has_certificate_authority: bool
    account: str | None

    @classmethod
    def of(cls, connection: Connection) -> "ConnectionBody":
        return cls(
            connection.id,
            connection.host,
            connection.kind.value,
            connection.login,
            connection.status.value,
            connection.certificate_authority is not None,
            connection.account,
        )


class RepositoryBody(msgspec.Struct, frozen=True):
    id: str
    workspace_id: str
    name: str
    clone_url: str | None
    local_path: str | None
    host: str | None
    path: str | None
    default_branch: str

    @classmethod
    def of(cls, repository: Repository) -> "RepositoryBody":
        identity = repository.identity
        return cls(
            repository.id,
            repository.workspace,
            repository.name,
            repository.clone_url,
            repository.local_path,
            identity.host if identity else None,
            identity.path if identity else None,
            repository.default_branch,
        )


class TaskRepositoryBody(msgspec.Struct, frozen=True):
    repository_id: str
    base_branch: str | None
    checkout_branch: str | None
    pull_request: int | None


class TaskBody(msgspec.Struct, frozen=True):
    id: str
    workspace_id: str
    title: str
    prompt: str
    state: str
    repositories: list[TaskRepositoryBody]
    created_at: datetime

    @classmethod
    def of(cls, task: Task) -> "TaskBody":
        return cls(
            task.id,
            task.workspace,
            task.title,
            task.prompt,
            task.state.value,
            [
                TaskRepositoryBody(each.repository, each.base, each.checkout, each.pull_request)
                for each in task.repositories
            ],
            task.created_at,
        )


class FailureBody(msgspec.Struct, frozen=True):
    code: str
    detail: str


class SessionBody(msgspec.Struct, frozen=True):
    """`metadata` is as it was stored; nothing of it is recomputed."""

    id: str
    task_id: str
    agent: str
    state: str
    execution_id: str | None
    acp_session_id: str | None
    failure: FailureBody | None
    metadata: dict[str, Any]
    created_at: datetime
    agent_profile_id: str | None
    executor_profile_id: str | None

    @classmethod
    def of(cls, session: Session) -> "SessionBody":
        failure = session.failure
        return cls(
            session.id,
            session.task,
            session.agent,
            session.state.value,
            session.execution,
            session.acp_session,
            FailureBody(failure.code, failure.detail) if failure else None,
            session.metadata,
            session.created_at,
            session.agent_profile,
            session.executor_profile,
        )


class DirtyBody(msgspec.Struct, frozen=True):
    """`files` are the first of `count`."""

    count: int
    files: list[str]


class EvidenceBody(msgspec.Struct, frozen=True):
    """A commit is null on a branch without one; `unpushed` counts up to 1,000."""

    repository_id: str
    head_before: str | None
    head_after: str | None
    dirty: DirtyBody | Literal["unknown"]
    unpushed: int | Literal["unknown"]

    @classmethod
    def of(cls, each: RepositoryEvidence) -> "EvidenceBody":
        dirty = each.dirty
        return cls(
            each.repository,
            each.head_before,
            each.head_after,
            "unknown" if isinstance(dirty, Unknown) else DirtyBody(dirty.count, [*dirty.files]),
            "unknown" if isinstance(each.unpushed, Unknown) else each.unpushed,
        )


class TurnBody(msgspec.Struct, frozen=True):
    """`retryable`: whether the same prompt may work later without anyone doing anything."""

    id: str
    session_id: str
    generation: int
    prompt: str
    state: str
    started_at: datetime
    ended_at: datetime | None
    stop_reason: str | None
    error: str | None
    reason: str | None
    retryable: bool
    evidence: list[EvidenceBody] | Literal["unknown"]

    @classmethod
    def of(cls, turn: Turn) -> "TurnBody":
        return cls(
            turn.id,
            turn.session,
            turn.generation,
            turn.prompt,
            turn.state.value,
            turn.started_at,
            turn.ended_at,
            turn.stop_reason,
            turn.error,
            None if turn.reason is None else turn.reason.value,
            turn.reason is not None and worth_retrying(turn.reason),
            "unknown"
            if isinstance(turn.evidence, Unknown)
            else [EvidenceBody.of(each) for each in turn.evidence],
        )


class AgentBody(msgspec.Struct, frozen=True):
    name: str
    title: str
    command: list[str]
    program: str | None
    installed: bool
    install: str

    @classmethod
    def of(cls, each: Installed) -> "AgentBody":
        agent = each.agent
        return cls(
            agent.name,
            agent.title,
            list(agent.command),
            each.program,
            each.program is not None,
            agent.install,
        )


class ConnectionDescription(msgspec.Struct, frozen=True):
    host: str
    method: str
    actor: str | None
    status: str
    account: str | None


class SettingsBody(msgspec.Struct, frozen=True):
    workspace_id: str
    task_git_credentials_mode: str
    accept_ambient_netrc: bool
    connections: list[ConnectionDescription]

    @classmethod
    def of(cls, workspace: str, policy: PolicyDescription) -> "SettingsBody":
        return cls(
            workspace,
            policy.mode.value,
            policy.accepts_netrc,
            [
                ConnectionDescription(
                    each.host, each.method, each.actor, each.status.value, each.account
                )
                for each in policy.connections
            ],
        )
