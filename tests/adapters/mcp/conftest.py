"""The tools as a client of the protocol meets them, in memory, with the plane behind them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from adapters.mcp.server import make_server
from adapters.mcp.toolbox import INSIDE, OUTSIDE
from domain.principal import Execution, Principal
from domain.session import Session
from tests.pipelines.plane import OWNER, Plane, plane_over

__all__ = ("Tools", "agent_of", "tools_for")

Json = dict[str, Any]


@dataclass
class Tools:
    """A client of the protocol, and what is behind the server."""

    client: Client
    plane: Plane

    async def ok(self, name: str, **arguments: object) -> Json:
        """The structured content of a call that must succeed."""
        answer = await self.client.call_tool(f"{name}_kandev", arguments)
        assert not answer.is_error, answer.content
        given: Json = answer.structured_content
        return given

    async def refused(self, name: str, **arguments: object) -> str:
        """The text of a call that must be refused."""
        answer = await self.client.call_tool(f"{name}_kandev", arguments)
        assert answer.is_error, answer.structured_content
        (text,) = answer.content
        assert isinstance(text, TextContent)
        return text.text


def agent_of(session: Session) -> Execution:
    """The principal that the session's agent is."""
    assert session.execution is not None
    return Execution(session.execution, session.task, session.id)


@asynccontextmanager
async def tools_for(plane: Plane, principal: Principal) -> AsyncIterator[Tools]:
    """The door that such a principal comes through."""
    tools = INSIDE if isinstance(principal, Execution) else OUTSIDE
    server = make_server(plane.container.tools(), tools, lambda _: principal)
    async with Client(server) as client:
        yield Tools(client, plane)


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncIterator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@pytest.fixture
async def tools(plane: Plane) -> AsyncIterator[Tools]:
    async with tools_for(plane, OWNER) as made:
        yield made
