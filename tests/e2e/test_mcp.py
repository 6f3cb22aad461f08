"""The MCP server of a running control plane, through the protocol's own client, both ways in."""

import asyncio
import json
import shlex
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated, SubscriptionLost
from mcp_types import ResourceListChangedNotification

from tests.e2e.conftest import git
from tests.e2e.kandev import SECONDS, Driver, Installation, call, kandev, script
from tests.e2e.test_conversation import begin
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = {"accept": "application/json, text/event-stream"}


@asynccontextmanager
async def client_of(
    driver: Driver, mode: Literal["auto", "legacy"] = "auto"
) -> AsyncIterator[Client]:
    headers = {"authorization": driver.client.http.headers["authorization"]}
    url = str(driver.client.http.base_url.join("/mcp"))
    async with (
        httpx2.AsyncClient(headers=headers, timeout=SECONDS, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


async def ok(client: Client, name: str, **arguments: object) -> Any:
    answer = await client.call_tool(f"{name}_kandev", arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content


async def talk(driver: Driver, client: Client, session: str) -> None:
    """Drive an agent through a turn in which it asks for permission, by tools alone."""
    task = (await driver.session(session))["task_id"]
    pair = {"task_id": task, "session_id": session}
    asking = script(call("permission", "Delete everything?"), call("message", "done"))
    await ok(client, "message_task", task_id=task, prompt=asking)
    await driver.until(session, "permission_request")
    (asked,) = (await ok(client, "list_pending_permissions", **pair))["pending"]
    never = {"request_id": asked["request_id"], "option_id": "never offered"}
    assert await refused(client, "answer_permission", **pair, **never) == (
        "invalid_request: the agent offered no such option"
    )

    await ok(
        client,
        "answer_permission",
        **pair,
        request_id=asked["request_id"],
        option_id="allow",
    )
    await driver.until(session, "complete")
    said = (await ok(client, "get_conversation", **pair, kinds=["message_chunk"]))["events"]
    assert [each["body"]["text"] for each in said] == ["done"]
    await ok(client, "stop_session", **pair)
    await driver.until_state(session, "stopped")


@requirement("mcp:clean")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_drives_an_agent_over_http(
    installation: Installation, checkout: Path, mode: Literal["auto", "legacy"]
) -> None:
    async with installation.server() as driver:
        session = await begin(driver, checkout)
        workspace = (await driver.session(session))["metadata"]["workspace"]
        before = git("status", "--porcelain", "--ignored", at=Path(workspace))
        async with client_of(driver, mode) as client:
            await talk(driver, client, session)

        assert git("status", "--porcelain", "--ignored", at=Path(workspace)) == before == ""
        assert git("status", "--porcelain", "--ignored", at=checkout) == ""


@requirement("mcp:stdio")
async def test_a_client_drives_an_agent_over_stdio(
    installation: Installation, checkout: Path
) -> None:
    program, *words = kandev("mcp")
    started = StdioServerParameters(command=program, args=words, env=installation.environment)
    async with installation.server() as driver:
        session = await begin(driver, checkout)
        async with client_of(driver) as direct, Client(started) as client:
            offered = (await client.list_tools()).tools
            assert offered == (await direct.list_tools()).tools
            await talk(driver, client, session)


@requirement("mcp:stdio")
@requirement("mcp:changes")
@pytest.mark.parametrize("way", ["http", "stdio"])
async def test_a_client_reads_resources_and_is_told_of_changes(
    installation: Installation, checkout: Path, way: str
) -> None:
    program, *words = kandev("mcp")
    started = StdioServerParameters(command=program, args=words, env=installation.environment)
    async with installation.server() as driver:
        session = await begin(driver, checkout)
        task = (await driver.session(session))["task_id"]
        uri = f"kandev://tasks/{task}"
        async with client_of(driver) as direct, Client(started) as piped:
            client = direct if way == "http" else piped
            page = await client.list_resources(cache_mode="bypass")
            wanted = {"resources_list_changed": True, "resource_subscriptions": [f"{uri}/plan"]}
            async with asyncio.timeout(SECONDS), client.listen(**wanted) as told:  # type: ignore[arg-type]  # named above
                await ok(client, "create_task_plan", task_id=task, content="Look.")
                heard = {await anext(told), await anext(told)}
            plan = await client.read_resource(f"{uri}/plan", cache_mode="bypass")

    conversation = f"{uri}/sessions/{session}/conversation"
    assert [each.uri for each in page.resources] == [uri, conversation]
    assert heard == {ResourcesListChanged(), ResourceUpdated(f"{uri}/plan")}
    assert [each.text for each in plan.contents] == ["Look."]  # type: ignore[union-attr]  # always text


@requirement("mcp:restart")
async def test_a_client_that_listens_holds_up_no_stop_and_is_told_of_it(
    installation: Installation,
) -> None:
    async with AsyncExitStack() as stack:
        async with installation.server() as driver:
            client = await stack.enter_async_context(client_of(driver))
            told = await stack.enter_async_context(client.listen(resources_list_changed=True))
        with pytest.raises(SubscriptionLost):
            await anext(told)


@requirement("mcp:profiles")
@requirement("mcp:arguments")
@requirement("mcp:principal")
@pytest.mark.parametrize("way", ["http", "legacy", "stdio"])
async def test_a_client_starts_an_agent_and_is_told_that_it_goes_on(
    installation: Installation, checkout: Path, way: str
) -> None:
    program, *words = kandev("mcp")
    started = StdioServerParameters(command=program, args=words, env=installation.environment)
    told: list[str | None] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with installation.server() as driver:
        await driver.workspace_of()
        task = await driver.task(await driver.repository({"local_path": str(checkout)}))
        mode: Literal["auto", "legacy"] = "legacy" if way == "legacy" else "auto"
        async with client_of(driver, mode) as direct, Client(started) as piped:
            client = piped if way == "stdio" else direct
            wrong = [
                await refused(client, "create_task", title="Mend", promt="hunter2"),
                await refused(client, "create_task", title="Mend", prompt=7),
                await refused(client, "spawn_session", task_id=task, path="hunter2"),
            ]
            unknown = await refused(client, "get_session", task_id=task, session_id="unknown")
            begun = await client.call_tool(
                "spawn_session_kandev",
                {"task_id": task, "agent": "demo", "prompt": script(call("message", "done"))},
                progress_callback=hear,
            )
            tasks = await ok(client, "list_tasks", workspace_id=driver.workspace)

    assert all(each.startswith("invalid arguments for ") for each in wrong)
    assert "hunter2" not in "".join(wrong)
    assert unknown.startswith("session_not_found: ")
    assert not begun.is_error, begun.content
    assert set(told) == (set() if way == "legacy" else {"Starting the agent."})
    assert [each["id"] for each in tasks["tasks"]] == [task]


async def refused(client: Client, name: str, **arguments: object) -> str:
    answer = await client.call_tool(f"{name}_kandev", arguments)
    assert answer.is_error
    return str(answer.content[0].text)  # type: ignore[union-attr]  # always text


@requirement("mcp:stdio")
async def test_an_older_client_on_stdio_is_told_that_a_list_changed(
    installation: Installation, checkout: Path
) -> None:
    program, *words = kandev("mcp")
    started = StdioServerParameters(command=program, args=words, env=installation.environment)
    told = asyncio.Event()

    async def hear(message: object) -> None:
        if isinstance(message, ResourceListChangedNotification):
            told.set()

    async with installation.server() as driver:
        session = await begin(driver, checkout)
        task = (await driver.session(session))["task_id"]
        async with Client(started, mode="legacy", message_handler=hear) as client:
            assert client.server_capabilities.resources is not None
            assert client.server_capabilities.resources.list_changed
            async with asyncio.timeout(SECONDS):
                await until_told(client, task, told)


async def until_told(client: Client, task: str, told: asyncio.Event) -> None:
    """Change the list until the server, which begins to follow it after its handshake, tells."""
    while not told.is_set():
        await ok(client, "create_task_plan", task_id=task, content="Look.")
        await ok(client, "delete_task_plan", task_id=task)


@requirement("mcp:stdio")
async def test_a_stdio_server_without_a_control_plane_says_so(installation: Installation) -> None:
    code, output, errors = await installation.command("mcp")

    assert (code, output) == (3, "")
    assert "kandev serve" in errors


@requirement("mcp:door")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer kdt_wrong"}, 401),
        ({"host": "evil.example"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({}, 200),
    ],
)
async def test_the_tools_stand_behind_the_door(
    installation: Installation, headers: dict[str, str], status: int
) -> None:
    async with installation.server() as driver:
        answer = await driver.client.http.post(
            "/mcp", json=INITIALIZE, headers={**ACCEPT, **headers}
        )

    assert answer.status_code == status
    assert (answer.headers.get("www-authenticate") == "Bearer") == (status == 401)


@requirement("mcp:door")
@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_there_is_no_session_to_listen_to_or_end(
    installation: Installation, method: str
) -> None:
    async with installation.server() as driver:
        answer = await driver.client.http.request(method, "/mcp", headers=ACCEPT)

    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@requirement("mcp:restart")
async def test_a_client_goes_on_after_a_restart(installation: Installation) -> None:
    listing = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "list_workspaces_kandev", "arguments": {}},
    }
    async with installation.server() as driver:
        await driver.workspace_of("kept")
        opened = await driver.client.http.post("/mcp", json=INITIALIZE, headers=ACCEPT)
        version = opened.json()["result"]["protocolVersion"]
    async with installation.server() as driver:
        answer = await driver.client.http.post(
            "/mcp", json=listing, headers={**ACCEPT, "mcp-protocol-version": version}
        )

    found = answer.json()["result"]["structuredContent"]["workspaces"]
    assert [each["name"] for each in found] == ["kept"]


@requirement("mcp:many")
async def test_a_hundred_calls_at_once_over_http(installation: Installation) -> None:
    async with installation.server() as driver, client_of(driver) as client:
        unknown = [f"task_{number}" for number in range(100)]
        calls = [client.call_tool("get_task_kandev", {"task_id": each}) for each in unknown]
        answers = await asyncio.gather(*calls)

    assert all(each.is_error for each in answers)


@requirement("mcp:late")
async def test_a_server_starts_without_the_library_of_the_protocol() -> None:
    asked = "import sys, composition.server; print('mcp' in sys.modules)"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", asked, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(SECONDS):
        output, _ = await process.communicate()

    assert output == b"False\n"


async def started_by(installation: Installation, client: str) -> tuple[str, list[str]]:
    """The command that the settings for a client name."""
    code, output, errors = await installation.command("mcp", "config", client)
    assert (code, errors) == (0, "")
    if client == "claude-code":
        program, *words = shlex.split(output.partition(" -- ")[2])
        return program, words
    if client == "codex":
        table = tomllib.loads(output)["mcp_servers"]["kandev"]
        return table["command"], table["args"]
    settings = json.loads(output)
    if client == "opencode":
        program, *words = settings["mcp"]["kandev"]["command"]
        return program, words
    table = settings["servers" if client == "vscode" else "mcpServers"]["kandev"]
    return table["command"], table["args"]


@requirement("mcp:config")
async def test_the_settings_for_a_client_start_the_server(installation: Installation) -> None:
    clients = (
        "claude-code", "claude-desktop", "codex", "cursor", "gemini", "inspector", "opencode", "vscode",
    )  # fmt: skip
    async with installation.server() as driver:
        token = driver.client.http.headers["authorization"].removeprefix("Bearer ")
        commands = [await started_by(installation, each) for each in clients]
        program, words = commands[0]
        parameters = StdioServerParameters(
            command=program, args=words, env=installation.environment
        )
        async with Client(parameters) as client:
            assert (await ok(client, "list_workspaces"))["workspaces"] == []

    assert Path(program).is_absolute()
    assert all(each == commands[0] for each in commands)
    assert token not in repr(commands)
