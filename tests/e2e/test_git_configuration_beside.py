"""Git's list in the environment of everything that runs beside an agent is the agent's own."""

import asyncio
import os
import shlex
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from domain import git_config
from domain.git_config import Entry
from tests.e2e.agent import Agent
from tests.e2e.kandev import SECONDS, Driver, Installation
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

HOST = (
    Entry("core.hookspath", "/no/hooks"),
    Entry("notes.augment.mergestrategy", "cat_sort_uniq"),
)
REQUEST = (Entry("x.one", "1"), Entry("x.two", ""))
FOUR = [*HOST, *REQUEST]


def listing(told: Path) -> str:
    """A line of shell that has git list its configuration; its file appears when it is whole."""
    quoted, partial = shlex.quote(str(told)), shlex.quote(f"{told}.part")
    return f"git config --list --null --show-scope > {partial} && mv {partial} {quoted}"


def listed(told: Path) -> list[Entry]:
    """What came from the environment; the file is gone then, so that the next one is new."""
    words = os.fsdecode(told.read_bytes()).split("\0")
    told.unlink()
    pairs = zip(words[::2], words[1::2], strict=False)
    return [Entry(*each.split("\n", 1)) for scope, each in pairs if scope == "command"]


async def background_sees(kandev: Driver, session: str, told: Path) -> list[Entry]:
    path = f"/api/v1/sessions/{session}/processes"
    await kandev.client.post(path, {"command": listing(told)})
    await eventually(told.exists)
    return listed(told)


async def terminal_sees(kandev: Driver, session: str, told: Path) -> list[Entry]:
    path = f"/api/v1/sessions/{session}/terminals"
    opened = await kandev.client.post(path, {})
    http = kandev.client.http
    url = str(http.base_url).rstrip("/").replace("http://", "ws://")
    headers = {"authorization": http.headers["authorization"]}
    async with (
        asyncio.timeout(SECONDS),
        connect(f"{url}{path}/{opened['id']}/stream", additional_headers=headers) as socket,
    ):
        await socket.send(f"{listing(told)}; exit\n".encode())
        said = [shown async for shown in socket]
    assert said[-1] == '{"type":"ended","exit":0,"signal":null}'
    return listed(told)


@requirement("git-config:boundary:beside")
@requirement("background:environment")
@requirement("terminal:environment")
@requirement("terminal:stream")
async def test_script_command_and_terminal_see_the_list_of_the_agent(
    tmp_path: Path, checkout: Path
) -> None:
    """At a launch, after a resume, and after a restart of the control plane."""
    installation = Installation(tmp_path / "home", git_config.serialize(HOST))
    environment = git_config.serialize(REQUEST)
    told = tmp_path / "told"
    told.mkdir()
    setup, agent_told = told / "setup", told / "agent"
    agent_told.mkdir()

    async def beside(kandev: Driver, session: str) -> list[list[Entry]]:
        return [
            await background_sees(kandev, session, told / "background"),
            await terminal_sees(kandev, session, told / "terminal"),
        ]

    async with installation.server(owned=False) as kandev:
        await kandev.workspace_of()
        # A setup that fails is run again at the next start.
        settings = {"setup_script": f"{listing(setup)}; false"}
        repository = await kandev.repository({"local_path": str(checkout), "settings": settings})
        task = await kandev.task(repository)
        session = (await kandev.launch(task, environment=environment))["id"]
        agent = Agent(kandev, session, agent_told)
        launch = [listed(setup), await agent.git_sees(), *await beside(kandev, session)]

        await kandev.stop(session)
        path = f"/api/v1/sessions/{session}/resume"
        await kandev.client.post(path, {"environment": environment})
        resume = [listed(setup), await agent.git_sees(), *await beside(kandev, session)]

    async with installation.server() as kandev:
        agent = Agent(kandev, session, agent_told, agent.seen)
        restart = [await agent.git_sees(), *await beside(kandev, session)]
        ended = await kandev.client.get(f"/api/v1/sessions/{session}/processes")

    assert launch == resume == [FOUR] * 4
    assert restart == [FOUR] * 3
    assert [each["state"] for each in ended] == ["exited", "exited"]
