"""The runtime: the one seam to launch, resume, stop and observe agents.

The control plane speaks to agentctl only through this port. Nothing here assumes a file system
or a clock shared with the agent.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

from domain.agent import Agent
from domain.copy_files import CopyEntry
from domain.credential_doctor import Diagnosis, Examined
from domain.environment import Layer
from domain.event import ExecutionEvent, Json
from domain.execution import ExecutorType, Handle
from domain.git_configuration import GitConfiguration
from domain.identity import ExecutionId, RepositoryId, SessionId, TaskId
from domain.managed_git import ManagedHost
from domain.mcp_server import GivenMcpServer
from domain.outcome import Result
from domain.repository import RepositoryIdentity
from domain.script import FailurePolicy
from domain.secret import Secret

__all__ = (
    "Checkout",
    "Cleanup",
    "Heard",
    "InstanceStatus",
    "Kept",
    "LaunchSpec",
    "Launched",
    "LeaseGrant",
    "ManagedAccess",
    "Runtime",
    "RuntimeCode",
    "RuntimeProblem",
    "Scripts",
    "Worktrees",
)


@dataclass(frozen=True, slots=True)
class Scripts:
    """What a repository has run in its worktrees (`domain.script`).

    `name` and `branch` are the repository's name and default branch, for placeholders.
    """

    name: str
    branch: str
    setup: str = ""
    cleanup: str = ""
    on_setup_failure: FailurePolicy = FailurePolicy.CONTINUE


@dataclass(frozen=True, slots=True)
class Checkout:
    """One repository of the task's workspace.

    `source` is the clone that worktrees hang on, `folder` the name below the workspace (empty: the
    workspace itself). `branch` is made from `base`, or the first of `fallbacks` when that is not
    there, which is told as an event; a branch that exists is checked out as is, and where
    `existing` says so brought forward to `base` if that has all of it.
    `copies` are given to a worktree when it is made. Its setup script is run in a worktree until it
    has succeeded there once, its cleanup script before the worktree is removed.
    """

    repository: RepositoryId
    source: str
    folder: str
    branch: str
    base: str
    copies: tuple[CopyEntry, ...] = ()
    scripts: Scripts | None = None
    fallbacks: tuple[str, ...] = ()
    existing: bool = False


@dataclass(frozen=True, slots=True)
class Cleanup:
    """The environment of cleanup scripts, in the words of a `LaunchSpec`, without a lease.

    They are told the task's last `session` and `execution`. Git is closed towards `hosts`.
    """

    session: SessionId
    execution: ExecutionId
    layers: tuple[Layer, ...]
    hosts: tuple[ManagedHost, ...]
    removes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Worktrees:
    """The worktrees of a task that nobody works in; `workspace` is its directory.

    Without a `cleanup` no script of theirs is run. `several`: the task has others besides, so its
    agents start above them.
    """

    task: TaskId
    workspace: str
    checkouts: tuple[Checkout, ...]
    cleanup: Cleanup | None = None
    several: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """A worktree's work, kept in the ref of this name in its repository."""

    repository: RepositoryId
    ref: str


@dataclass(frozen=True, slots=True)
class LeaseGrant:
    """A lease for agentctl to hold in memory, for one repository."""

    repository: RepositoryId
    identity: RepositoryIdentity
    token: Secret
    capability: Secret


@dataclass(frozen=True, slots=True)
class ManagedAccess:
    """The broker contract of an instance: hosts to manage and a lease for each repository.

    `accepts_netrc` is whether the workspace lives with a `.netrc` that answers before any helper.
    """

    hosts: tuple[ManagedHost, ...]
    leases: tuple[LeaseGrant, ...]
    accepts_netrc: bool = False


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """Everything an instance needs.

    `program` is the absolute path of the agent, followed by the rest of its command. `layers` are
    those above the executor process, lowest first; agentctl puts its own process below them and the
    managed entries above. `workspace` is the absolute directory of the task, made when absent.
    `acp_session` is the conversation to load, None for a new one. `model`, `system_prompt` and
    `mcp_servers` are the agent profile's.
    """

    handle: Handle
    agent: Agent
    program: str
    executor: ExecutorType
    workspace: str
    checkouts: tuple[Checkout, ...]
    layers: tuple[Layer, ...]
    managed: ManagedAccess | None
    removes: frozenset[str]
    acp_session: str | None
    approve_automatically: bool = False
    model: str | None = None
    system_prompt: str | None = None
    mcp_servers: tuple[GivenMcpServer, ...] = ()


@dataclass(frozen=True, slots=True)
class Launched:
    """An instance whose agent answered `initialize` and has a conversation.

    `resumed` says whether the stored conversation was loaded; when it was asked for and could not
    be, `lost_context` is the agent's reason. `removed` are the names of variables that were taken
    from the agent's environment.
    """

    acp_session: str
    resumed: bool
    lost_context: str | None
    removed: tuple[str, ...]
    capabilities: Json


class RuntimeCode(StrEnum):
    """Why a runtime call failed, stable on the wire."""

    UNREACHABLE = "agentctl_unreachable"
    MISMATCH = "agentctl_mismatch"
    NO_INSTANCE = "no_instance"
    EXISTS = "instance_exists"
    ENVIRONMENT = "malformed_environment"
    AMBIENT_NETRC = "ambient_netrc"
    GIT_TOO_OLD = "git_too_old"
    WORKTREE = "worktree_failed"
    BRANCH_IN_USE = "git_branch_in_use"
    UNKNOWN_BASE = "git_unknown_branch"
    REPOSITORY_BUSY = "repository_busy"
    WORKTREE_LOCKED = "worktree_locked"
    WORKTREE_FOREIGN = "worktree_foreign"
    WORKTREE_UNREGISTERED = "worktree_unregistered"
    WORKTREE_NESTED = "worktree_nested"
    WORKTREE_LEFT = "worktree_left"
    SETUP_FAILED = "setup_failed"
    AGENT_MISSING = "agent_not_installed"
    AGENT_DIED = "agent_died"
    AGENT_REFUSED = "agent_refused"
    AGENT_SILENT = "agent_silent"
    PROTOCOL = "agent_protocol"
    BUSY = "turn_running"
    NO_PERMISSION = "no_such_permission"
    NO_REPOSITORY = "no_such_repository"
    NO_PROCESS = "no_such_process"
    NO_TERMINAL = "no_such_terminal"
    LIMITED = "limit_reached"
    DISK_FULL = "disk_full"
    BUNDLE_TOO_LARGE = "bundle_too_large"
    BUNDLE_TORN = "bundle_torn"
    DESTINATION_UNSAFE = "destination_unsafe"
    DESTINATION_UNWRITABLE = "destination_unwritable"
    NO_STAGE = "no_stage"
    EVENTS_BEYOND = "events_beyond"
    INVALID = "invalid_request"


class EventsBeyondError(Exception):
    """The reader has events of an execution that agentctl never had: one of them is another."""


@dataclass(frozen=True, slots=True)
class RuntimeProblem:
    """`detail` is for a person and holds no secret; `stderr` the redacted tail of the agent's."""

    code: RuntimeCode
    detail: str
    stderr: str = ""


@dataclass(frozen=True, slots=True)
class InstanceStatus:
    """An instance as agentctl sees it; `last` is the number of its newest event."""

    handle: Handle
    alive: bool
    turn_generation: int | None
    last: int


Heard: TypeAlias = Callable[[Sequence[ExecutionEvent]], Awaitable[object]]
"""Is given events in batches, and is waited for before the next."""


class Runtime(Protocol):
    """Every call names its instance by all three ids; a wrong pair is `NO_INSTANCE`."""

    async def launch(
        self, spec: LaunchSpec, heard: Heard | None = None
    ) -> Result[Launched, RuntimeProblem]:
        """Start an instance. After a failure or a cancellation nothing of it is left.

        What setup scripts do meanwhile is told to `heard`, in order, and is all that is told of a
        launch that one of them forbids. Otherwise it is among the instance's `events` too.
        """
        ...

    async def prompt(
        self, handle: Handle, generation: int, text: str
    ) -> Result[None, RuntimeProblem]:
        """Begin a turn; returns when agentctl took it. One turn at a time: else `BUSY`."""
        ...

    async def cancel(self, handle: Handle) -> Result[None, RuntimeProblem]:
        """Ask the agent to end the running turn; its ending arrives as an event."""
        ...

    async def answer(
        self, handle: Handle, request: str, option: str | None
    ) -> Result[None, RuntimeProblem]:
        """Answer a permission request with one of its options, or None to cancel it."""
        ...

    async def stop(self, handle: Handle) -> Result[None, RuntimeProblem]:
        """End the agent and all its descendants; the event log stays readable until released."""
        ...

    async def release(self, handle: Handle) -> None:
        """Forget a stopped instance and its log. Idempotent."""
        ...

    def events(self, handle: Handle, after: int) -> AsyncIterator[Sequence[ExecutionEvent]]:
        """Batches of events after `after`, in order, until the instance ended and all is given.

        Raises `ConnectionError` when agentctl goes away, and `EventsBeyondError` when the execution
        goes on and never came to `after`.
        """
        ...

    async def acknowledge(self, handle: Handle, through: int) -> None:
        """Say that events up to `through` are stored, so agentctl may drop them. Idempotent."""
        ...

    async def attend(self) -> Result[None, RuntimeProblem]:
        """Have an agentctl there, started if none runs.

        One that starts first finishes what a killed one left: it ends the orphans, gives their logs
        the last events, and lists them with the others, to be followed and released.
        """
        ...

    async def instances(self) -> Result[Sequence[InstanceStatus], RuntimeProblem]: ...

    async def git_configuration(self, handle: Handle) -> Result[GitConfiguration, RuntimeProblem]:
        """What git sees in the instance, and what is found around it at this moment."""
        ...

    async def examine_credentials(
        self, handle: Handle, examined: Sequence[Examined]
    ) -> Result[Sequence[Diagnosis], RuntimeProblem]:
        """Have the instance's git ask for the credential of each repository: who answers."""
        ...

    async def remove_workspace(
        self, worktrees: Worktrees
    ) -> Result[Sequence[Kept], RuntimeProblem]:
        """Remove the worktrees; what is not both clean and pushed is kept in a ref before.

        The cleanup script of each is run first; whatever comes of it, the removal goes on.

        One that is not there is removed already. A refusal leaves the refused one as it was.
        """
        ...

    async def restore_workspace(
        self, worktrees: Worktrees
    ) -> Result[Sequence[Kept], RuntimeProblem]:
        """Bring back the newest that was kept of each: files, index and branch."""
        ...
