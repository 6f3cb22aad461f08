"""The MCP servers of a profile, beside ours, as an agent is told of them."""

import json
import shutil
from pathlib import Path

import pytest

from adapters.agentctl.server.tool_servers import read
from adapters.agentctl.wire import McpServer
from domain.mcp_server import GivenMcpServer, McpTransport
from tests.adapters.agentctl.server.conftest import House, watch
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

PROGRAM = McpServer("files", "stdio", "sh", ["-c", "cat"], {"TOKEN": "t"}, "", {})
ABSENT = McpServer("absent", "stdio", "no-such-program", [], {}, "", {})
REMOTE = McpServer("remote", "http", "", [], {}, "https://tools.example/mcp", {"X-Key": "k"})
STREAM = McpServer("stream", "sse", "", [], {}, "https://tools.example/sse", {})


@requirement("mcp:profile-servers")
async def test_an_agent_is_told_of_the_servers_that_it_can_have(
    house: House, tmp_path: Path
) -> None:
    told = tmp_path / "servers.json"
    asked = [PROGRAM, ABSENT, REMOTE, STREAM]
    instance = await house.launch(f"servers={told}", "http=yes", mcp_servers=asked)
    await instance.stop()
    seen = await watch(instance)

    ours, *theirs = json.loads(told.read_text(encoding="utf-8"))
    assert (ours["name"], ours["env"]) == ("kandev", [])
    assert theirs == [
        {
            "name": "files",
            "command": shutil.which("sh"),
            "args": ["-c", "cat"],
            "env": [{"name": "TOKEN", "value": "t"}],
        },
        {
            "type": "http",
            "name": "remote",
            "url": "https://tools.example/mcp",
            "headers": [{"name": "X-Key", "value": "k"}],
        },
    ]
    warnings = [each.body for each in seen if each.body.get("status") == "warning"]
    assert warnings == [
        {
            "status": "warning",
            "code": "mcp_server",
            "name": "absent",
            "reason": "command_not_found",
        },
        {
            "status": "warning",
            "code": "mcp_server",
            "name": "stream",
            "reason": "transport_not_supported",
        },
    ]


@requirement("mcp:profile-servers")
async def test_an_agent_that_speaks_no_http_is_told_of_programs_alone(
    house: House, tmp_path: Path
) -> None:
    told = tmp_path / "servers.json"
    await house.launch(f"servers={told}", mcp_servers=[REMOTE, PROGRAM])

    names = [each["name"] for each in json.loads(told.read_text(encoding="utf-8"))]
    assert names == ["kandev", "files"]


@requirement("mcp:profile-servers")
async def test_an_agent_that_loads_a_conversation_is_told_of_them_again(
    house: House, tmp_path: Path
) -> None:
    told = tmp_path / "servers.json"
    await house.launch(f"servers={told}", "load=replay", acp_session="s0", mcp_servers=[PROGRAM])

    names = [each["name"] for each in json.loads(told.read_text(encoding="utf-8"))]
    assert names == ["kandev", "files"]


def test_a_server_travels_as_it_was_given() -> None:
    assert read([PROGRAM]) == [
        GivenMcpServer("files", McpTransport.STDIO, "sh", ("-c", "cat"), {"TOKEN": "t"}, "", {})
    ]
