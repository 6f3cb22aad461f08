"""What a start is made of: the order, the facts it rests on, and what follows from the two.

Everything here is pure; `start_execution` gathers, decides and applies.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from domain import credential_snapshot, push_verdict
from domain.agent import Agent
from domain.connection import Connection
from domain.credential_policy import CredentialDecision, Mode, managed_hosts
from domain.credential_snapshot import CredentialSnapshot
from domain.environment import Layer, LayerName
from domain.event import Json
from domain.execution import Execution, ExecutorType
from domain.identity import RepositoryId
from domain.lease import Scope
from domain.mcp_server import GivenMcpServer, given
from domain.push_verdict import Tally
from domain.registered_repository import Repository
from domain.repository import https_url
from domain.repository_settings import RepositorySettings
from domain.session import Session
from domain.stored_environment import StoredEnvironment
from domain.task import Task
from domain.workspace import Workspace
from pipelines.environment_secrets import (
    EnvironmentOwner,
    layer_of_profile,
    layer_of_repository,
)
from pipelines.session_profiles import Profiles
from ports.runtime import Launched, LaunchSpec, LeaseGrant, ManagedAccess, Scripts

__all__ = (
    "Facts",
    "Order",
    "Terms",
    "access",
    "authorities_of",
    "environments_of",
    "layers_of",
    "metadata",
    "origins_of",
    "scopes_of",
    "scripts_of",
    "servers_of",
    "standing_layers",
    "workspace_of",
)


@dataclass(frozen=True, slots=True)
class Order:
    """What to start: a session in `STARTING`, and the choices of whoever asked."""

    session: Session
    agent: Agent
    program: str
    executor: ExecutorType
    environment: Mapping[str, str]
    allow_dirty: bool
    approve_automatically: bool
    fetch: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """What is true of the task when the start begins, read in one unit.

    `branches` are the names that earlier starts of the task made.
    """

    workspace: Workspace
    task: Task
    repositories: tuple[Repository, ...]
    connections: tuple[Connection, ...]
    settings: Mapping[RepositoryId, RepositorySettings]
    environments: Mapping[RepositoryId, StoredEnvironment]
    profiles: Profiles
    branches: Mapping[RepositoryId, str]


@dataclass(frozen=True, slots=True)
class Terms:
    """With whose authority the agent works: as decided, and as agentctl is given it."""

    mode: Mode
    decision: CredentialDecision
    managed: ManagedAccess | None


def access(
    decision: CredentialDecision,
    connections: Sequence[Connection],
    grants: Sequence[LeaseGrant],
    *,
    accepts_netrc: bool,
) -> ManagedAccess | None:
    """What agentctl needs to answer git; nothing without a lease."""
    if not grants:
        return None
    hosts = managed_hosts(decision.scopes, authorities_of(connections))
    return ManagedAccess(hosts, tuple(grants), accepts_netrc)


def authorities_of(connections: Sequence[Connection]) -> dict[str, str]:
    """Who signs the certificates of a host, where that is nobody whom everybody knows."""
    return {
        each.host: each.certificate_authority
        for each in connections
        if each.certificate_authority is not None
    }


def metadata(
    candidate: CredentialSnapshot, decision: CredentialDecision, spec: LaunchSpec, told: Launched
) -> Json:
    """What a session keeps of its last successful start."""
    return {
        credential_snapshot.KEY: candidate.to_json(),
        push_verdict.KEY: Tally().to_json() if spec.managed else None,
        "removed_variables": sorted({*decision.removed, *told.removed}),
        "lost_context": told.lost_context,
        "executor": spec.executor.value,
        "workspace": spec.workspace,
        "branches": {each.repository: each.branch for each in spec.checkouts},
    }


def origins_of(facts: Facts, decision: CredentialDecision) -> Mapping[RepositoryId, str]:
    """The `origin` of each checkout that we made; those of the user's are not ours to touch.

    What is managed is reached over HTTPS, the rest as it was registered.
    """
    managed = {scope.repository_id for scope in decision.scopes}
    return {
        each.id: https_url(each.identity)
        if each.id in managed and each.identity and not each.clone_url.startswith("https://")
        else each.clone_url
        for each in facts.repositories
        if each.clone_url is not None
    }


def environments_of(facts: Facts) -> Iterator[tuple[EnvironmentOwner, StoredEnvironment]]:
    """What is stored for the start, lowest layer first, repositories in the order of the task."""
    for profile in (facts.profiles.agent, facts.profiles.executor):
        if profile is not None:
            yield layer_of_profile(profile), profile.environment
    for repository in facts.repositories:
        yield layer_of_repository(repository), facts.environments[repository.id]


def layers_of(order: Order, stored: Sequence[Layer]) -> tuple[Layer, ...]:
    """The layers above the executor's process, lowest first; `stored` are `environments_of`."""
    return (
        *standing_layers(order.agent, stored),
        Layer(LayerName.REQUEST, dict(order.environment)),
    )


def standing_layers(agent: Agent | None, stored: Sequence[Layer]) -> tuple[Layer, ...]:
    """Those that every start has, whoever asks for it; an agent that is gone brings none."""
    ours = (
        (
            Layer(LayerName.AGENT_DEFAULTS, dict(agent.environment)),
            Layer(LayerName.AGENT_PROFILE, dict(agent.profile)),
        )
        if agent is not None
        else ()
    )
    return (*ours, *(layer for layer in stored if layer.variables))


def servers_of(facts: Facts, stored: Sequence[Layer]) -> tuple[GivenMcpServer, ...]:
    """The MCP servers of the agent profile, with the variables of its layer."""
    profile, choice = facts.profiles.agent, facts.profiles.agent_choice
    if profile is None or choice is None:
        return ()
    values = next(layer.variables for layer in stored if layer.name == profile.layer)
    return tuple(given(server, values) for server in choice.mcp_servers)


def workspace_of(tasks_root: str, facts: Facts) -> str:
    """The directory that the agent works in: the worktree, or the folder that holds several."""
    folder = f"{tasks_root}/{facts.task.id}"
    return f"{folder}/{facts.repositories[0].name}" if len(facts.repositories) == 1 else folder


def scripts_of(repository: Repository, settings: RepositorySettings) -> Scripts:
    """What the repository has run in its worktrees."""
    return Scripts(
        name=repository.name,
        branch=repository.default_branch,
        setup=settings.setup_script,
        cleanup=settings.cleanup_script,
        on_setup_failure=settings.on_setup_failure,
    )


def scopes_of(execution: Execution, facts: Facts, decision: CredentialDecision) -> Sequence[Scope]:
    """Each scope of the decision in full."""
    return [
        Scope(
            workspace=facts.workspace.id,
            task=facts.task.id,
            session=execution.session,
            execution=execution.id,
            repository=scope.repository_id,
            identity=scope.identity,
        )
        for scope in decision.scopes
    ]
