"""A call of a tool by each door, beside the same call on a server that only echoes."""

import asyncio
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx2
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer

from adapters.home.sockets import socket_directory
from bench.harness import Benchmark, Measure, Pair
from bench.stage import folder, installation, launch, project, running, task

__all__ = ("BENCHMARKS",)

CALLS: Final = 20
"""Calls of a round; what is told is the time of one."""

_ECHO: Final = """
from mcp.server import MCPServer

server = MCPServer("echo", log_level="WARNING")

@server.tool()
def echo(text: str) -> str:
    return text

server.run()
"""


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


@asynccontextmanager
async def _inside() -> AsyncIterator[Pair]:
    """An agent's way: bridge, socket, agentctl, relay and back, beside a plain server on stdio."""
    with folder() as root:
        async with running(root) as product:
            workspace = (await product.post("/api/v1/workspaces", {"name": "bench"}))["id"]
            repository = await product.post(
                f"/api/v1/workspaces/{workspace}/repositories",
                {"local_path": str(project(root / "project", 1))},
            )
            await launch(product, await task(product, workspace, repository["id"]), "")
            plain = StdioServerParameters(command=sys.executable, args=["-I", "-c", _ECHO])
            async with Client(bridge(root)) as tools, Client(plain) as echo:
                yield Pair(
                    calling(tools, "get_task_kandev", {"task_id": "none"}),
                    calling(echo, "echo", {"text": "none"}),
                )


def bridge(root: Path) -> StdioServerParameters:
    """What the one agent of the home is told to start."""
    settings, environment = installation(root)
    sockets = socket_directory(settings.home, environment, Path(tempfile.gettempdir()).resolve())
    (socket_path,) = sockets.unwrap().glob("*.mcp.sock")
    (program,) = (settings.home / "tools").glob("*/mcp_bridge.pyc")
    words = ["-I", "-S", str(program), str(socket_path)]
    return StdioServerParameters(command=sys.executable, args=words)


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


BENCHMARKS: Final = (
    Benchmark("tools.inside", 2.0, _inside),
    Benchmark("tools.outside", 2.0, _outside),
)
