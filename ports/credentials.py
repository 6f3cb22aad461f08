"""Where agentctl's requests for a credential arrive in the control plane."""

from dataclasses import dataclass
from typing import Protocol

from domain.identity import ExecutionId
from domain.lease import LeaseRefusal
from domain.outcome import Result
from domain.peer import Peer
from domain.repository import RepositoryIdentity
from domain.secret import Secret

__all__ = ("CredentialRequest", "Credentials", "GitCredential")


@dataclass(frozen=True, slots=True)
class CredentialRequest:
    """A redemption: `execution` comes from the relay's frame, never from the agent.

    `peer` is who asked on the instance's socket, None when that is not known.
    """

    execution: ExecutionId
    identity: RepositoryIdentity
    token: Secret
    capability: Secret | None
    operation: str
    peer: Peer | None = None


@dataclass(frozen=True, slots=True)
class GitCredential:
    """What git needs for one operation; `expires` in Unix seconds, None when it does not.

    `lease` is set when the lease was issued anew and replaces the one that was shown.
    """

    username: str
    password: Secret
    expires: int | None
    lease: Secret | None = None


class Credentials(Protocol):
    async def __call__(self, request: CredentialRequest) -> Result[GitCredential, LeaseRefusal]: ...
