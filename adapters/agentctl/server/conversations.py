"""What an instance asks of a conversation, apart from the library that speaks the protocol.

That library costs most of a second to import, so it is behind these protocols and imported by who
puts the parts together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from adapters.agentctl.server.acp.permissions import Permissions
from adapters.agentctl.server.acp.transport import AgentTransport
from adapters.agentctl.server.served_files import ServedFiles
from adapters.agentctl.server.served_terminals import ServedTerminals
from domain.agent_bounds import AgentBounds
from domain.event import Json
from domain.mcp_server import GivenMcpServer
from domain.outcome import Result
from ports.runtime import RuntimeProblem

__all__ = ("Conversation", "Converse", "Introduction", "ModelRefused", "Wanted")


@dataclass(frozen=True, slots=True)
class Introduction:
    """What an agent says of itself in its answer to `initialize`."""

    capabilities: Json
    loads_sessions: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a start asks of the conversation; None is a new one, and the agent's own way."""

    acp_session: str | None
    model: str | None = None
    system_prompt: str | None = None


class ModelRefused(StrEnum):
    """Why the agent goes on with a model of its own, stable on the wire."""

    NO_CHOICE = "no_choice"
    NOT_OFFERED = "not_offered"


class Conversation(Protocol):
    """One agent's. A call that the agent's end cuts short fails with `AGENT_DIED`."""

    __slots__ = ()

    async def initialize(self, version: str) -> Result[Introduction, RuntimeProblem]:
        """Agree on version 1 of the protocol; an agent that insists on another is refused."""
        ...

    async def begin(
        self, directory: str, servers: Sequence[GivenMcpServer], system_prompt: str | None
    ) -> Result[str, RuntimeProblem]:
        """Begin a new conversation; the agent's own id of it."""
        ...

    async def load(
        self,
        directory: str,
        session: str,
        servers: Sequence[GivenMcpServer],
        system_prompt: str | None,
    ) -> Result[None, RuntimeProblem]:
        """Load an earlier conversation. `AGENT_REFUSED`: the agent cannot, and lives on."""
        ...

    async def choose_model(
        self, session: str, model: str
    ) -> Result[ModelRefused | None, RuntimeProblem]:
        """Work with this model, if the agent offers it in the conversation begun or loaded."""
        ...

    async def prompt(self, session: str, text: str) -> Result[str, RuntimeProblem]:
        """Run a turn to its end, however long it takes; the agent's reason for stopping."""
        ...

    async def cancel(self, session: str) -> Result[None, RuntimeProblem]:
        """Ask the agent to end its turn; the prompt's own answer says when it did."""
        ...

    async def close(self) -> None:
        """Every call that waits ends as if the agent had gone. Idempotent."""
        ...


class Converse(Protocol):
    async def __call__(
        self,
        transport: AgentTransport,
        permissions: Permissions,
        terminals: ServedTerminals,
        files: ServedFiles,
        bounds: AgentBounds,
    ) -> Conversation:
        """Begin to listen; the first call in a process may take as long as an import."""
        ...
