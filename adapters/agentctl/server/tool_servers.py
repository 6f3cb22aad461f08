"""The MCP servers of a conversation: ours, and those of the profile that this agent can have."""

import pathlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from adapters.agentctl import wire
from domain.event import Json
from domain.mcp_server import GivenMcpServer, McpTransport

__all__ = ("LeftOut", "Servers", "read")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A server that the agent is not told of, and the stable reason."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Servers:
    """`search` is the agent's `PATH`: the protocol wants the absolute path of a program."""

    ours: GivenMcpServer
    profile: Sequence[GivenMcpServer]
    search: str

    def of(self, capabilities: Json) -> tuple[Sequence[GivenMcpServer], Sequence[LeftOut]]:
        """What an agent with these capabilities is told of, and what it is not."""
        told = [self.ours]
        left_out: list[LeftOut] = []
        for each in self._usable(capabilities):
            if isinstance(each, LeftOut):
                left_out.append(each)
            else:
                told.append(each)
        return told, left_out

    def _usable(self, capabilities: Json) -> Iterator[GivenMcpServer | LeftOut]:
        can = capabilities.get("mcpCapabilities")
        spoken = {name for name, able in can.items() if able} if isinstance(can, dict) else set()
        for each in self.profile:
            if each.transport is not McpTransport.STDIO:
                known = each.transport.value in spoken
                yield each if known else LeftOut(each.name, "transport_not_supported")
                continue
            found = shutil.which(each.command, path=self.search)
            if found is None or not pathlib.Path(found).is_absolute():
                yield LeftOut(each.name, "command_not_found")
            else:
                yield replace(each, command=found)


def read(servers: Sequence[wire.McpServer]) -> Sequence[GivenMcpServer]:
    return [
        GivenMcpServer(
            each.name,
            McpTransport(each.transport),
            each.command,
            tuple(each.arguments),
            each.environment,
            each.url,
            each.headers,
        )
        for each in servers
    ]
