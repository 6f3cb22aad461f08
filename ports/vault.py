"""Secrets at rest: sealed for one place, opened only there."""

from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from domain.identity import ConnectionId, WorkspaceId
from domain.outcome import Result
from domain.secret import Secret

__all__ = (
    "AGENTCTL_KEY",
    "SealedValue",
    "SecretPlace",
    "Unsealable",
    "Vault",
    "connection_place",
    "variable_place",
)


@dataclass(frozen=True, slots=True)
class SecretPlace:
    """What a sealed value is bound to; it opens nowhere else."""

    id: str
    owner: str
    scope: str


AGENTCTL_KEY: Final = SecretPlace(id="agentctl", owner="installation", scope="key")
"""Where the key that the running agentctl proves itself by is sealed for."""


def connection_place(connection: ConnectionId, workspace: WorkspaceId) -> SecretPlace:
    """Where a connection's secret is sealed for."""
    return SecretPlace(id=connection, owner=workspace, scope="connection")


def variable_place(owner: str, name: str) -> SecretPlace:
    """Where a secret variable of a profile or a repository is sealed for."""
    return SecretPlace(id=name, owner=owner, scope="variable")


class SealedValue(NamedTuple):
    """A sealed value as it is stored, and what it is bound to."""

    place: SecretPlace
    sealed: bytes


@dataclass(frozen=True, slots=True)
class Unsealable:
    """The value was sealed with another key, for another place, or was altered."""

    place: SecretPlace


class Vault(Protocol):
    def beginning(self) -> bytes:
        """What everything that it seals begins with, and nothing that another key sealed does."""
        ...

    def seal(self, place: SecretPlace, value: Secret) -> bytes: ...
    def open(self, place: SecretPlace, sealed: bytes) -> Result[Secret, Unsealable]: ...
