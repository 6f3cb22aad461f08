"""The server on stdio for clients that start one: each request goes on to the control plane."""

from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)

from domain.secret import Secret

__all__ = ("serve_stdio",)

TIMEOUT = httpx2.Timeout(10, read=600)
"""Seconds; a tool may wait for an agent."""

Context = ServerRequestContext[Any, Any]


async def serve_stdio(url: str, token: Secret, version: str) -> None:
    """Serve on standard input and output until the client closes them."""
    headers = {"authorization": f"Bearer {token.reveal()}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=TIMEOUT, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as plane,
        stdio_server() as (read, write),
    ):
        server = forwarding(plane, version)
        await server.run(read, write, server.create_initialization_options())


def forwarding(plane: Client, version: str) -> Server[Any]:
    """A server that has what the other end of `plane` has."""

    async def list_tools(_: Context, asked: PaginatedRequestParams | None) -> ListToolsResult:
        return await plane.list_tools(cursor=asked.cursor if asked else None)

    async def call_tool(_: Context, asked: CallToolRequestParams) -> CallToolResult:
        return await plane.call_tool(asked.name, asked.arguments)

    return Server(
        "kandev-mcp",
        version=version,
        title="Kandev",
        instructions=plane.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
