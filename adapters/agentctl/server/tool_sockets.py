"""Opens the socket for tools of each instance, and says how an agent reaches it: by a bridge."""

import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from adapters.agentctl.server import listening
from adapters.agentctl.server.descent import Families
from adapters.agentctl.server.tool_socket import Carrier, ToolSocket
from domain.execution import Handle
from domain.mcp_server import OUR_NAME, GivenMcpServer, McpTransport

__all__ = ("OpenToolSocket", "OpenTools", "ToolSockets", "Tools")

KIND: Final = "mcp"


class OpenTools(Protocol):
    """The socket of one instance, open until it is closed."""

    @property
    def server(self) -> GivenMcpServer:
        """How the agent starts the server of Kandev's tools."""
        ...

    def admit(self, pid: int, started: int) -> None:
        """The agent was started: a client belongs to the instance if it descends from it."""
        ...

    async def close(self) -> None:
        """Close and unlink it; every call in flight is given up."""
        ...


class Tools(Protocol):
    """Opens sockets under unguessable names, 0600 in a 0700 directory, under either policy."""

    async def open(self, handle: Handle) -> OpenTools:
        """Raises `OSError`; then nothing is left open."""
        ...


class Bridge(Protocol):
    def bridge(self) -> list[str]:
        """The words that start the bridge to a socket, whose path follows. Raises `OSError`."""
        ...


@dataclass(slots=True)
class OpenToolSocket:
    handle: Handle
    command: tuple[str, ...]
    families: Families
    path: str
    served: ToolSocket

    @property
    def server(self) -> GivenMcpServer:
        command, *words = self.command
        return GivenMcpServer(
            OUR_NAME, McpTransport.STDIO, command, (*words, self.path), {}, "", {}
        )

    def admit(self, pid: int, started: int) -> None:
        self.families.admit(self.handle.execution, pid, started)

    async def close(self) -> None:
        listening.remove(self.path)
        await self.served.close()
        self.families.forget(self.handle.execution)


@dataclass(frozen=True, slots=True)
class ToolSockets:
    """`directory` is private to the user and exists."""

    directory: Path
    tools: Bridge
    families: Families
    carrier: Carrier

    def sweep(self) -> None:
        """Remove what earlier agentctls left. Raises `OSError`."""
        listening.sweep(self.directory, KIND)

    async def open(self, handle: Handle) -> OpenToolSocket:
        command = tuple(map(sys.intern, self.tools.bridge()))
        path = listening.fresh(self.directory, KIND)
        listener = listening.bind(path)
        served = ToolSocket(handle.execution, self.families, self.carrier)
        try:
            await served.start(listener)
        except BaseException:
            listener.close()
            with suppress(OSError):
                path.unlink()
            raise
        return OpenToolSocket(handle, command, self.families, str(path), served)
