"""The tools from inside: an agent's own client, and the protocol's, over the instance's socket."""

import asyncio
import stat
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.session import MessageHandlerFnT
from mcp.client.subscriptions import SubscriptionLost

from adapters.home.sockets import socket_directory
from tests.e2e.conftest import git
from tests.e2e.kandev import SECONDS, Driver, Installation, call, script
from tests.e2e.test_conversation import begin
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

QUESTION = {
    "prompt": "Which?",
    "options": [{"label": each, "description": each} for each in ("Red", "Blue")],
}


def sockets(installation: Installation) -> list[Path]:
    made = socket_directory(
        installation.home, installation.environment, Path(tempfile.gettempdir()).resolve()
    )
    return sorted(made.unwrap().glob("*.mcp.sock"))


@asynccontextmanager
async def inside(
    installation: Installation,
    mode: Literal["auto", "legacy"] = "auto",
    hear: MessageHandlerFnT | None = None,
) -> AsyncIterator[Client]:
    """The protocol's client, started as the one agent's would be."""
    (socket,) = sockets(installation)
    (bridge,) = (installation.home / "tools").glob("*/mcp_bridge.pyc")
    words = ["-I", "-S", str(bridge), str(socket)]
    started = StdioServerParameters(command=sys.executable, args=words, env={})
    async with (
        asyncio.timeout(SECONDS),
        Client(started, mode=mode, message_handler=hear) as client,
    ):
        yield client


async def said_by_tool(driver: Driver, session: str, *calls: str) -> list[dict[str, Any]]:
    """What the agent's calls of tools came to."""
    events = await driver.turn(session, script(*calls))
    return [each["body"] for each in events if each["kind"] == "tool_update"]


@requirement("mcp:inside")
@requirement("mcp:clean")
@pytest.mark.parametrize("mode", ["executor", "managed"])
async def test_an_agent_reads_its_own_task_and_no_other(
    installation: Installation, checkout: Path, mode: str
) -> None:
    async with installation.server() as driver:
        await driver.workspace_of(mode=mode)
        repository = await driver.repository({"local_path": str(checkout)})
        other = await driver.task(repository)
        task = await driver.task(repository)
        session = await driver.launch(task)
        worktree = Path((await driver.session(session["id"]))["metadata"]["workspace"])
        own, foreign, unknown = await said_by_tool(
            driver,
            session["id"],
            *(
                call("mcp:kandev:get_task_kandev", {"task_id": each})
                for each in (task, other, "unknown")
            ),
        )
        (socket,) = sockets(installation)
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (socket, socket.parent)]
        clean = git("status", "--porcelain", "--ignored", at=worktree)

    assert task in own["content"][0]["content"]["text"]
    assert (own["status"], foreign["status"], unknown["status"]) == (
        "complete",
        "error",
        "error",
    )
    assert foreign["content"] == unknown["content"]
    assert (modes, clean, sockets(installation)) == ([0o600, 0o700], "", [])


@requirement("mcp:inside-restart")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_client_of_an_agent_goes_on_after_a_restart(
    installation: Installation, checkout: Path, mode: Literal["auto", "legacy"]
) -> None:
    async with AsyncExitStack() as stack:
        async with installation.server(owned=False) as driver:
            session = await begin(driver, checkout)
            task = (await driver.session(session))["task_id"]
            client = await stack.enter_async_context(inside(installation, mode))
            before = await client.call_tool("get_task_kandev", {"task_id": task})
        waiting = asyncio.create_task(client.call_tool("get_task_kandev", {"task_id": task}))
        async with installation.server():
            during = await waiting
            after = await client.call_tool("get_task_kandev", {"task_id": task})

    assert before.structured_content is not None
    assert before.structured_content["id"] == task
    assert [during.structured_content, after.structured_content] == [before.structured_content] * 2


@requirement("mcp:inside-restart")
@requirement("mcp:ask-late")
async def test_a_restart_in_the_middle_of_a_question_ends_the_call_and_not_the_session(
    installation: Installation, checkout: Path
) -> None:
    asked = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        asked.set()

    async with AsyncExitStack() as stack:
        async with installation.server(owned=False) as driver:
            session = await begin(driver, checkout)
            workspace = driver.workspace
            client = await stack.enter_async_context(inside(installation))
            asking = asyncio.create_task(
                client.call_tool(
                    "ask_user_question_kandev", {"questions": [QUESTION]}, progress_callback=hear
                )
            )
            await asked.wait()
        with pytest.raises(MCPError, match="control_plane_away"):
            await asking
        async with installation.server() as driver:
            after = await client.call_tool(
                "get_session_kandev", {"task_id": "self", "session_id": session}
            )
            path = f"/api/v1/workspaces/{workspace}/questions"
            (pending,) = await driver.client.get(path)
            reply = {"question_id": "1", "selected_options": ["Red"]}
            given = await driver.client.post(
                f"/api/v1/questions/{pending['id']}/answer", {"answers": [reply]}
            )
            await driver.until(session, "complete")

    assert after.structured_content is not None
    assert after.structured_content["state"] == "idle"
    assert given["claimed"]


@requirement("mcp:changes")
@requirement("mcp:inside-restart")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_agents_client_is_told_of_changes_also_after_a_restart(
    installation: Installation, checkout: Path, mode: Literal["auto", "legacy"]
) -> None:
    told = asyncio.Queue[str]()

    async def hear(message: object) -> None:
        if mode == "legacy":
            told.put_nowait(type(message).__name__)

    plan = {"task_id": "self", "content": "Look."}
    async with AsyncExitStack() as stack:
        async with installation.server(owned=False) as driver:
            await begin(driver, checkout)
            client = await stack.enter_async_context(inside(installation, mode, hear))
            lost = asyncio.create_task(follow(client, told)) if mode == "auto" else None
            if lost is not None:
                assert await told.get() == "listening"
            await client.call_tool("create_task_plan_kandev", plan)
            before = await told.get()
        if lost is not None:
            with pytest.raises(SubscriptionLost):
                await lost
        async with installation.server():
            await client.call_tool("get_task_kandev", {"task_id": "self"})
            again = asyncio.create_task(follow(client, told)) if mode == "auto" else None
            if again is not None:
                assert await told.get() == "listening"
            await client.call_tool("delete_task_plan_kandev", {"task_id": "self"})
            after = await told.get()
            if again is not None:
                again.cancel()
                await asyncio.wait({again})

    expected = "ResourcesListChanged" if mode == "auto" else "ResourceListChangedNotification"
    assert (before, after) == (expected, expected)


async def follow(client: Client, told: "asyncio.Queue[str]") -> None:
    async with client.listen(resources_list_changed=True) as events:
        told.put_nowait("listening")
        async for each in events:
            told.put_nowait(type(each).__name__)


@requirement("mcp:inside")
async def test_the_bridge_of_an_agent_is_isolated_from_its_workspace(
    installation: Installation, checkout: Path
) -> None:
    for name in ("posix.py", "_socket.py", "_thread.py", "site.py", "adapters/__init__.py"):
        planted = checkout / name
        planted.parent.mkdir(exist_ok=True)
        planted.write_text("raise SystemExit(9)\n", encoding="utf-8")
    git("add", "--all", at=checkout)
    git("commit", "--quiet", "-m", "Plant", at=checkout)
    async with installation.server() as driver:
        await driver.workspace_of()
        task = await driver.task(await driver.repository({"local_path": str(checkout)}))
        session = await driver.launch(task, environment={"PYTHONPATH": str(checkout)})
        answer = call("mcp:kandev:get_task_kandev", {"task_id": task})
        (own,) = await said_by_tool(driver, session["id"], answer)

    assert own["status"] == "complete"


@requirement("mcp:arguments")
@requirement("mcp:principal")
@requirement("mcp:many")
async def test_what_an_agent_gets_wrong_reaches_nothing_and_is_not_repeated(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as driver:
        session = await begin(driver, checkout)
        task = (await driver.session(session))["task_id"]
        repository = await driver.repository({"local_path": str(checkout)})
        other = await driver.task(repository)
        async with inside(installation) as client:

            async def refused(name: str, **arguments: object) -> str:
                answer = await client.call_tool(f"{name}_kandev", arguments)
                assert answer.is_error
                return str(answer.content[0].text)  # type: ignore[union-attr]  # always text

            wrong = [
                await refused("create_task", title="Mend", parent_id="self", promt="hunter2"),
                await refused("create_task", title="Mend", parent_id="self", prompt=7),
                await refused("get_diagnostic_bundle", source="backend", path="/tmp/hunter2"),
            ]
            foreign = [
                await refused("get_task", task_id=other),
                await refused("get_session", task_id=other, session_id=session),
            ]
            unknown = [
                await refused("get_task", task_id="unknown"),
                await refused("get_session", task_id="unknown", session_id=session),
            ]
            cancelled = asyncio.create_task(
                client.call_tool("ask_user_question_kandev", {"questions": [QUESTION]})
            )
            await asyncio.sleep(0)
            cancelled.cancel()
            await asyncio.wait({cancelled})
            answers = await asyncio.gather(*[
                client.call_tool("get_task_kandev", {"task_id": "self"}) for _ in range(100)
            ])
            family = await client.call_tool("list_related_tasks_kandev", {"task_id": "self"})

    assert all(each.startswith("invalid arguments for ") for each in wrong)
    assert "hunter2" not in "".join(wrong)
    assert foreign == unknown
    assert family.structured_content is not None
    assert family.structured_content["children"] == []
    assert {each.structured_content["id"] for each in answers if each.structured_content} == {task}
