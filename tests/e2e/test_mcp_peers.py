"""The MCP server through other people's clients: Inspector, fastmcp, and the conformance suite."""

import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from adapters.home.sockets import socket_directory
from tests.e2e.kandev import Driver, Installation, kandev
from tests.e2e.peers import run_peer
from tests.e2e.test_conversation import begin
from tests.fakes.bearer_relay import bearer_relay
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(240)]

DOORS: Final = ("http", "stdio", "inside")

APPLICABLE: Final = frozenset({
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "server-sse-polling",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
})
"""Scenarios of the suite that can be asked of any server."""

FIXTURES: Final = "a tool, resource or prompt of the suite's own test server"
INAPPLICABLE: Final[Mapping[str, str]] = {
    "logging-set-level": "logging is not offered",
    "completion-complete": "completions are not offered",
    "resources-subscribe": "subscribing is not offered in the versions that the suite speaks",
    "resources-unsubscribe": "subscribing is not offered in the versions that the suite speaks",
    "tools-call-simple-text": FIXTURES,
    "tools-call-image": FIXTURES,
    "tools-call-audio": FIXTURES,
    "tools-call-embedded-resource": FIXTURES,
    "tools-call-mixed-content": FIXTURES,
    "tools-call-with-logging": FIXTURES,
    "tools-call-error": FIXTURES,
    "tools-call-with-progress": FIXTURES,
    "tools-call-sampling": FIXTURES,
    "tools-call-elicitation": FIXTURES,
    "json-schema-2020-12": FIXTURES,
    "elicitation-sep1034-defaults": FIXTURES,
    "elicitation-sep1330-enums": FIXTURES,
    "resources-read-text": FIXTURES,
    "resources-read-binary": FIXTURES,
    "resources-templates-read": FIXTURES,
    "prompts-get-embedded-resource": FIXTURES,
    "prompts-get-with-image": FIXTURES,
}
"""The others, and what each needs that this server has not."""

PROMPTS: Final[Sequence[Mapping[str, object]]] = (
    {
        "name": "test_simple_prompt",
        "description": "A text",
        "text": "This is a simple prompt for testing.",
    },
    {
        "name": "test_prompt_with_arguments",
        "description": "A text with places",
        "text": "Prompt with arguments: arg1='{{arg1}}', arg2='{{arg2}}'",
        "arguments": [{"name": "arg1"}, {"name": "arg2"}],
    },
)
"""What the suite asks for and anybody can save."""


def bridge(installation: Installation) -> Sequence[str]:
    """The words that start the tools of the one agent that runs."""
    made = socket_directory(
        installation.home, installation.environment, Path(tempfile.gettempdir()).resolve()
    )
    (socket,) = made.unwrap().glob("*.mcp.sock")
    (program,) = (installation.home / "tools").glob("*/mcp_bridge.pyc")
    return (sys.executable, "-I", "-S", str(program), str(socket))


def url_and_token(driver: Driver) -> tuple[str, str]:
    http = driver.client.http
    return str(http.base_url.join("/mcp")), http.headers["authorization"].removeprefix("Bearer ")


def inspected(door: str, installation: Installation, driver: Driver) -> Sequence[str]:
    """How Inspector is told of a door."""
    if door == "http":
        url, token = url_and_token(driver)
        return (url, "--transport", "http", "--header", f"Authorization: Bearer {token}")
    if door == "stdio":
        home = f"KANDEV_HOME={installation.environment['KANDEV_HOME']}"
        return (*kandev("mcp"), "-e", home)
    return bridge(installation)


@requirement("mcp:peers")
@pytest.mark.parametrize("door", DOORS)
async def test_inspector_lists_and_calls_tools(
    installation: Installation, checkout: Path, tmp_path: Path, door: str
) -> None:
    async def inspector(*words: str) -> Any:  # what the tool answered
        code, output, errors = await run_peer("mcp-inspector", "--cli", *words, home=tmp_path)
        assert code == 0, errors
        return json.loads(output)

    async with installation.server() as driver:
        session = await begin(driver, checkout)
        task = (await driver.session(session))["task_id"]
        to = inspected(door, installation, driver)
        listed = await inspector(*to, "--method", "tools/list")
        named = ("--tool-name", "get_task_kandev", "--tool-arg", f"task_id={task}")
        called = await inspector(*to, "--method", "tools/call", *named)

    assert "get_task_kandev" in {tool["name"] for tool in listed["tools"]}
    assert called["structuredContent"]["id"] == task


@requirement("mcp:peers")
@pytest.mark.parametrize("door", DOORS)
async def test_fastmcp_lists_and_calls_tools(
    installation: Installation, checkout: Path, door: str
) -> None:
    async with installation.server() as driver:
        session = await begin(driver, checkout)
        task = (await driver.session(session))["task_id"]
        if door == "http":
            url, token = url_and_token(driver)
            transport: Any = StreamableHttpTransport(url, auth=token)
        else:
            program, *words = kandev("mcp") if door == "stdio" else bridge(installation)
            transport = StdioTransport(
                program, [*words], env=installation.environment, keep_alive=False
            )
        async with Client(transport) as client:
            listed = await client.list_tools()
            called = await client.call_tool("get_task_kandev", {"task_id": task})

    assert "get_task_kandev" in {tool.name for tool in listed}
    assert called.structured_content is not None
    assert called.structured_content["id"] == task


@requirement("mcp:conformance")
async def test_every_scenario_of_the_conformance_suite_that_applies_passes(
    installation: Installation, tmp_path: Path
) -> None:
    async with installation.server() as driver:
        workspace = await driver.workspace_of()
        for each in PROMPTS:
            await driver.client.post("/api/v1/prompts", {"workspace_id": workspace, **each})
        async with bearer_relay(*url_and_token(driver)) as url:
            words = ("server", "--url", url, "--suite", "all")
            _, output, _ = await run_peer("conformance", *words, home=tmp_path)

    results = dict(re.findall(r"^. ([a-z0-9-]+): \d+ passed, (\d+) failed", output, re.MULTILINE))
    assert {name for name, failed in results.items() if failed == "0"} == APPLICABLE
    assert {name for name, failed in results.items() if failed != "0"} == set(INAPPLICABLE)
