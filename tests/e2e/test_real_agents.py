"""Agents as others publish them, launched by the product: no key, and a model on loopback."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.kandev import Driver, Installation
from tests.e2e.peers import NODE, peer
from tests.e2e.test_conversation import processes_of
from tests.fakes.model_server import ModelServer
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

SECONDS: Final = 120.0
"""What an agent may take to start, or for its turn, beside a loaded suite."""
KEY: Final = "not-a-key"


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer("get_task_kandev") as server:
        yield server


@pytest.fixture
def installed(installation: Installation, model: ModelServer) -> Installation:
    """A home in which every agent is installed and signed in, and finds the model."""
    home = Path(installation.environment["HOME"])
    programs = (peer("claude-agent-acp").parent, peer("opencode").parent, NODE.parent)
    installation.environment |= {
        "PATH": ":".join(map(str, (*programs, os.environ["PATH"]))),
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": KEY,
        "ENABLE_TOOL_SEARCH": "false",
        "GEMINI_API_KEY": KEY,
    }
    provider = {
        "npm": "@ai-sdk/anthropic",
        "options": {"baseURL": f"{model.url}/v1", "apiKey": KEY},
        "models": {"model": {"name": "model"}},
    }
    write(home / ".claude/settings.json", {"permissions": {"defaultMode": "default"}})
    write(home / ".codex/auth.json", {"auth_mode": "apikey", "OPENAI_API_KEY": KEY})
    write(
        home / ".config/opencode/opencode.json",
        {"model": "local/model", "small_model": "local/model", "provider": {"local": provider}},
    )
    return installation


def write(path: Path, settings: object) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(settings), encoding="utf-8")


async def launch(driver: Driver, checkout: Path, agent: str) -> tuple[str, str]:
    """A task, and the session of it in which the agent runs."""
    await driver.workspace_of()
    task = await driver.task(await driver.repository({"local_path": str(checkout)}))
    body = {"agent": agent, "prompt": "", "approve_automatically": True}
    async with asyncio.timeout(SECONDS):
        session = await driver.client.post(f"/api/v1/tasks/{task}/sessions", body)
    return task, session["id"]


async def turn(driver: Driver, session: str, text: str) -> list[dict[str, Any]]:
    await driver.prompt(session, text)
    events: list[dict[str, Any]] = []
    async with asyncio.timeout(SECONDS):
        async for event in driver.client.events(session, 0):
            events.append(event)
            if event["kind"] == "complete":
                break
    return events


@requirement("agents:real")
@pytest.mark.parametrize("agent", ["codex", "gemini"])
async def test_an_agent_begins_a_conversation_and_ends_with_its_session(
    installed: Installation, checkout: Path, agent: str
) -> None:
    async with installed.server() as driver:
        _, session = await launch(driver, checkout, agent)
        shown = await driver.session(session)
        running = processes_of(session)
        await driver.stop(session)

    assert shown["state"] == "idle"
    assert running
    assert processes_of(session) == []


@requirement("agents:real")
@requirement("mcp:peers")
@pytest.mark.parametrize("agent", ["claude", "opencode"])
async def test_an_agent_reads_its_task_with_a_tool_and_ends_its_turn(
    installed: Installation, checkout: Path, model: ModelServer, agent: str
) -> None:
    async with installed.server() as driver:
        task, session = await launch(driver, checkout, agent)
        model.wanted = {"task_id": task}
        events = await turn(driver, session, "Look at your task.")
        await driver.stop(session)

    answers = [each["body"] for each in events if each["kind"] == "tool_update"]
    said = [each["body"]["text"] for each in events if each["kind"] == "message_chunk"]
    assert task in str([each for each in answers if each.get("status") == "complete"])
    assert (events[-1]["body"]["state"], said) == ("completed", ["done"])
    assert processes_of(session) == []
