"""Whoever is killed, at whichever step: no event is lost or doubled, no agent is left behind,
nothing is stuck, and the next action works."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from composition.client import ApiError
from tests.e2e.conftest import checkout, installation
from tests.e2e.kandev import SECONDS, Driver, Installation, call, script
from tests.e2e.test_conversation import processes_of
from tests.e2e.test_serve_command import served
from tests.eventually import eventually
from tests.faults.mortal import FAULT, command
from tests.faults.steps import CASES, Case
from tests.requirements import requirement
from tests.soak import sampled

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120), pytest.mark.soak]

__all__ = ("checkout", "installation")

WORDS = [f"word {number}" for number in range(12)]
QUEUED = "from the queue"
OVER = {"stopped", "failed"}

Json = dict[str, Any]


@dataclass
class World:
    """An installation in which one process is to be killed."""

    installation: Installation
    checkout: Path
    armed: Path
    case: Case

    def arm(self) -> None:
        self.armed.touch()

    @asynccontextmanager
    async def plane(self) -> AsyncIterator[Driver]:
        """The server that the story begins with; it is gone, not ended, where it is to be killed."""
        self.installation.environment[FAULT] = self.case.fault.variable(self.armed)
        self.installation.agentctl = command("agentctl")
        with (self.installation.home / "agents.toml").open("w", encoding="utf-8") as file:
            file.write(f"[agents.mortal]\ncommand = {json.dumps(command('agent'))}\n")
        if self.case.fault.program != "kandev":
            async with self.installation.server() as kandev:
                yield kandev
            return
        async with served(self.installation, command("kandev", "serve", "--port", "0")) as server:
            yield server.driver
            async with asyncio.timeout(SECONDS):
                await server.process.wait()


async def launch(world: World, kandev: Driver, task: str) -> None:
    world.arm()
    await kandev.launch(task, "mortal")


async def turn(world: World, kandev: Driver, task: str) -> None:
    session = await kandev.launch(task, "mortal")
    world.arm()
    await kandev.prompt(session["id"], script(*(call("message", word) for word in WORDS)))


async def ending(world: World, kandev: Driver, task: str) -> None:
    """The fault is armed when all but the last words were heard."""
    session = await kandev.launch(task, "mortal")
    *words, last = (call("message", word) for word in WORDS)
    await kandev.prompt(session["id"], script(*words, call("wait_for_file", "go"), last))
    async with asyncio.timeout(SECONDS):
        async for event in kandev.client.events(session["id"]):
            if event["body"].get("text") == WORDS[-2]:
                break
    world.arm()
    Path(session["metadata"]["workspace"], "go").touch()


async def queue(world: World, kandev: Driver, task: str) -> None:
    session = await kandev.launch(task, "mortal")
    words = [call("message", word) for word in WORDS]
    await kandev.prompt(session["id"], script(call("wait_for_file", "go"), *words))
    waits = {"text": script(call("message", QUEUED))}
    await kandev.client.post(f"/api/v1/sessions/{session['id']}/queue", waits)
    world.arm()
    Path(session["metadata"]["workspace"], "go").touch()


async def stop(world: World, kandev: Driver, task: str) -> None:
    session = await kandev.launch(task, "mortal")
    await kandev.turn(session["id"], script(*(call("message", word) for word in WORDS)))
    world.arm()
    await kandev.client.post(f"/api/v1/sessions/{session['id']}/stop")


async def cancel(world: World, kandev: Driver, task: str) -> None:
    session = await kandev.launch(task, "mortal")
    words = [call("message", word) for word in WORDS]
    await kandev.prompt(session["id"], script(*words, call("delay", 600_000)))
    await kandev.until(session["id"], "message_chunk")
    world.arm()
    await kandev.client.post(f"/api/v1/sessions/{session['id']}/cancel")


SCENES: dict[str, Callable[[World, Driver, str], Awaitable[None]]] = {
    "cancel": cancel,
    "ending": ending,
    "launch": launch,
    "queue": queue,
    "stop": stop,
    "turn": turn,
}


@requirement("session:killed:any-step")
@pytest.mark.parametrize("case", sampled(CASES, 6, seed=4), ids=str)
async def test_whoever_is_killed_the_next_action_works_and_nothing_is_lost(
    installation: Installation, checkout: Path, tmp_path: Path, case: Case
) -> None:
    world = World(installation, checkout, tmp_path / "armed", case)
    async with AsyncExitStack() as stack:
        async with world.plane() as kandev:
            await kandev.workspace_of()
            task = await kandev.task(await kandev.repository({"local_path": str(checkout)}))
            with suppress(ApiError, httpx2.HTTPError):
                await SCENES[case.scene](world, kandev, task)
            await eventually(lambda: not world.armed.exists())
            if case.fault.program != "kandev":
                await survived(kandev, task, case)
        if case.fault.program == "kandev":
            after = await stack.enter_async_context(installation.server())
            await survived(after, task, case)


async def survived(kandev: Driver, task: str, case: Case) -> None:
    session = await settled(kandev, task, case)
    before = await told(kandev, session)
    turns = await kandev.client.get(f"/api/v1/sessions/{session}/turns")
    check_turns(turns, before, case)

    shown = await kandev.session(session)
    if shown["state"] != "idle":
        await kandev.client.post(f"/api/v1/sessions/{session}/resume", {})
    seen = before[-1]["sequence"] if before else 0
    again = await kandev.turn(session, script(call("message", "again")), seen)
    assert texts(again) == ["again"]
    assert again[-1]["body"]["state"] == "completed"

    await kandev.stop(session)
    events = await told(kandev, session)
    assert [each["sequence"] for each in events] == list(range(1, len(events) + 1))
    assert processes_of(session) == []


async def settled(kandev: Driver, task: str, case: Case) -> str:
    """The one session of the task, launched now if none was, once nothing of it goes on."""
    sessions = await kandev.client.get(f"/api/v1/tasks/{task}/sessions")
    if not sessions:
        return str((await kandev.launch(task, "mortal"))["id"])
    [session] = [str(each["id"]) for each in sessions]
    async with asyncio.timeout(SECONDS):
        while not await is_settled(kandev, session, case):  # noqa: ASYNC110 -- no event tells it
            await asyncio.sleep(0.05)
    return session


async def is_settled(kandev: Driver, session: str, case: Case) -> bool:
    shown = await kandev.session(session)
    turns = await kandev.client.get(f"/api/v1/sessions/{session}/turns")
    waits = await kandev.client.get(f"/api/v1/sessions/{session}/queue")
    running = any(each["state"] == "running" for each in turns)
    # The agents of a killed agentctl are gone, which takes a moment to be known.
    rests = OVER if case.fault.program == "agentctl" else {"idle", *OVER}
    return shown["state"] in rests and not running and not waits["prompts"]


async def told(kandev: Driver, session: str) -> list[Json]:
    """Every event of the session that is stored."""
    parts = [
        part async for part in kandev.client.text(f"/api/v1/sessions/{session}/events?follow=false")
    ]
    lines = "".join(parts).splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


def texts(events: list[Json]) -> list[str]:
    return [each["body"]["text"] for each in events if each["kind"] == "message_chunk"]


def check_turns(turns: list[Json], events: list[Json], case: Case) -> None:
    """Each turn that was heard has one ending, and all that was said, once and in order."""
    endings = [each["generation"] for each in events if each["kind"] == "complete"]
    started = [each["generation"] for each in events if each["kind"] == "turn_started"]
    assert started == sorted(set(started))
    assert sorted(endings) == sorted(set(endings))
    assert set(started) <= set(endings)
    said = texts(events)
    if case.scene == "queue":
        assert said == [*WORDS, QUEUED]
    elif case.fault.program == "kandev" and case.scene != "launch":
        # Nobody who was killed had to say or to host it, unless it was never heard.
        assert said == (WORDS if started else [])
        assert [each["state"] for each in turns] == ["completed" if started else "interrupted"]
    else:
        assert said == WORDS[: len(said)]
    if case.scene == "ending":
        assert len(said) >= len(WORDS) - 1
