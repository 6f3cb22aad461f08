"""A call of a tool over HTTP, beside the same call on a server of the protocol that only echoes."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer

from bench.harness import Benchmark, Measure, Pair
from bench.stage import folder, running

__all__ = ("BENCHMARKS",)

CALLS: Final = 20
"""Calls of a round; what is told is the time of one."""


@asynccontextmanager
async def _outside() -> AsyncIterator[Pair]:
    with folder() as root:
        async with running(root) as product, echoing() as plain:
            bearer = {"authorization": product.http.headers["authorization"]}
            url = str(product.http.base_url.join("/mcp"))
            async with client_of(url, bearer) as tools, client_of(plain, {}) as echo:
                yield Pair(
                    calling(tools, "get_task_kandev", {"task_id": "none"}),
                    calling(echo, "echo", {"text": "none"}),
                )


def calling(client: Client, name: str, arguments: dict[str, Any]) -> Measure:
    async def measure() -> float:
        begun = time.perf_counter()
        for _ in range(CALLS):
            await client.call_tool(name, arguments)
        return (time.perf_counter() - begun) / CALLS

    return measure


@asynccontextmanager
async def client_of(url: str, headers: dict[str, str]) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def echoing() -> AsyncIterator[str]:
    """The least that the library can be, set up as ours is; the address of its endpoint."""
    server = MCPServer("echo", log_level="WARNING")

    @server.tool()
    def echo(text: str) -> str:
        return text

    app = server.streamable_http_app(stateless_http=True, json_response=True)
    listener = socket.create_server(("127.0.0.1", 0))
    host = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    with listener:
        serving = asyncio.create_task(host.serve(sockets=[listener]))
        while not host.started and not serving.done():  # noqa: ASYNC110 -- it has no event for it
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            host.should_exit = True
            await serving


BENCHMARKS: Final = (Benchmark("tools.outside", 2.0, _outside),)
