"""The broker contract: the three names in an agent's environment that give it managed access.

All three or none. They hold no secret: where the instance's socket and tools are, and for which
repositories it may be asked.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from domain.identity import RepositoryId
from domain.outcome import Failure, Result, Success, failed
from domain.repository import RepositoryIdentity, identify

__all__ = (
    "MAX_SCOPES",
    "MAX_SCOPES_LENGTH",
    "MAX_SOCKET_BYTES",
    "NAMES",
    "SCOPES",
    "SOCKET",
    "TOOLS",
    "BrokenContract",
    "BrokerContract",
    "Fault",
    "GitScope",
    "read",
    "write",
    "write_scopes",
)

SOCKET = "KANDEV_BROKER_SOCKET"
SCOPES = "KANDEV_GIT_SCOPES"
TOOLS = "KANDEV_TOOLS_DIR"
NAMES = frozenset({SOCKET, SCOPES, TOOLS})

MAX_SCOPES = 64
"""Repositories of one instance."""
MAX_SOCKET_BYTES = 107
"""Bytes of a socket's path (unix(7): 108 with its NUL)."""
MAX_SCOPES_LENGTH = 128 * 1_024
"""Characters of the scopes; Linux gives one environment variable no more (`MAX_ARG_STRLEN`)."""

_FIELDS = ("repository_id", "host", "path")


@dataclass(frozen=True, slots=True)
class GitScope:
    """A repository that git may be given a credential for."""

    repository_id: RepositoryId
    host: str
    path: str

    @property
    def identity(self) -> RepositoryIdentity:
        return RepositoryIdentity(self.host, self.path)


@dataclass(frozen=True, slots=True)
class BrokerContract:
    """A whole contract: absolute paths, and at least one scope."""

    socket: str
    tools: str
    scopes: tuple[GitScope, ...]


class Fault(StrEnum):
    """Why an environment's contract does not hold."""

    INCOMPLETE = "incomplete"
    SOCKET = "socket"
    TOOLS = "tools"
    SCOPES = "scopes"


@dataclass(frozen=True, slots=True)
class BrokenContract:
    """Half a contract, or a name whose value cannot be one."""

    fault: Fault


def read(environment: Mapping[str, str]) -> Result[BrokerContract | None, BrokenContract]:
    """The contract of an environment: None when it has none of the names."""
    present = NAMES & environment.keys()
    if not present:
        return Success(None)
    if present != NAMES:
        return Failure(BrokenContract(Fault.INCOMPLETE))
    socket, tools = environment[SOCKET], environment[TOOLS]
    if not socket.startswith("/") or len(socket.encode("utf-8", "replace")) > MAX_SOCKET_BYTES:
        return Failure(BrokenContract(Fault.SOCKET))
    # A colon would make two entries of one in PATH.
    if not tools.startswith("/") or ":" in tools:
        return Failure(BrokenContract(Fault.TOOLS))
    scopes = _read_scopes(environment[SCOPES])
    if scopes is None:
        return Failure(BrokenContract(Fault.SCOPES))
    return Success(BrokerContract(socket, tools, scopes))


def write(contract: BrokerContract) -> dict[str, str]:
    """The three variables; `read` of them is the contract again."""
    return {
        SOCKET: contract.socket,
        TOOLS: contract.tools,
        SCOPES: write_scopes(contract.scopes),
    }


def write_scopes(scopes: Sequence[GitScope]) -> str:
    """The scopes as a JSON array of `{repository_id, host, path}`, in ASCII."""
    rows = [{name: getattr(scope, name) for name in _FIELDS} for scope in scopes]
    return json.dumps(rows, separators=(",", ":"))


def _read_scopes(text: str) -> tuple[GitScope, ...] | None:
    if len(text) > MAX_SCOPES_LENGTH:
        return None
    try:
        rows: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(rows, list) or not 0 < len(rows) <= MAX_SCOPES:
        return None
    scopes = [scope for row in rows if (scope := _read_scope(row)) is not None]
    return tuple(scopes) if len(scopes) == len(rows) else None


def _read_scope(row: object) -> GitScope | None:
    match row:
        case {"repository_id": str(repository), "host": str(host), "path": str(path)} if repository:
            identity = identify(host, path)
            if failed(identity) or identity.unwrap() != RepositoryIdentity(host, path):
                return None
            return GitScope(RepositoryId(repository), host, path)
        case _:
            return None
