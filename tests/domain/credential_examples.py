"""Workspaces, repositories and layers, as few words as a decision about credentials needs."""

from dataclasses import dataclass

from domain.broker_contract import GitScope
from domain.connection import Connection, Kind, Status
from domain.credential_policy import CredentialDecision, Mode, decide
from domain.environment import Layer
from domain.identity import ConnectionId, RepositoryId, WorkspaceId
from domain.managed_git import HELPER_NAME
from domain.repository import RepositoryIdentity

HELPER = f"/run/tools dir/{HELPER_NAME}"


@dataclass(frozen=True)
class Attached:
    id: RepositoryId
    identity: RepositoryIdentity | None


def repository(name: str, host: str = "github.com") -> Attached:
    return Attached(RepositoryId(name), RepositoryIdentity(host, f"/acme/{name}"))


def connection(
    host: str = "github.com",
    kind: Kind = Kind.PAT,
    login: str | None = "alice",
    status: Status = Status.ACTIVE,
    name: str = "c",
) -> Connection:
    return Connection(ConnectionId(name), WorkspaceId("w"), host, kind, login, status, 1)


def scope(name: str, host: str = "github.com") -> GitScope:
    return GitScope(RepositoryId(name), host, f"/acme/{name}")


ONE = (repository("widgets"),)
TWO = (repository("widgets"), repository("backend"))
TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
CHOSEN = ("agent profile", "executor profile", "repository", "request")
AMBIENT = ("host", "executor", "agent defaults")
ORDER = (*AMBIENT, *CHOSEN)


def layers_with(variables: dict[str, dict[str, str]]) -> tuple[Layer, ...]:
    """All layers in their order, with these variables in some of them."""
    return tuple(Layer(name, {"LANG": "C"} | variables.get(name, {})) for name in ORDER)


def decided(
    mode: Mode,
    layers: tuple[Layer, ...] = (),
    repositories: tuple[Attached, ...] = ONE,
    connections: tuple[Connection, ...] = (connection(),),
) -> CredentialDecision:
    return decide(mode, connections, layers, repositories, helper=HELPER).unwrap()
