"""Processes that stand still and go on, as those of a machine that sleeps: the turn ends once."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.e2e.conftest import checkout, installation
from tests.e2e.kandev import Driver, Installation, arguments_of, call, script
from tests.e2e.test_conversation import begin, processes_of
from tests.e2e.test_serve_command import served
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]

__all__ = ("checkout", "installation")


def hosts(installation: Installation) -> list[int]:
    """The agentctl of this home."""
    mark = f"--home {installation.home}".replace(" ", "\0").encode()
    pids = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
    return [pid for pid in pids if mark in arguments_of(pid)]


def stands_still(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@contextmanager
def frozen(pids: list[int]) -> Iterator[None]:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


async def speaking(kandev: Driver, checkout: Path) -> tuple[str, Path]:
    """A session in a turn that said a word, and the file for which it waits."""
    session = await begin(kandev, checkout)
    words = (call("message", "before"), call("wait_for_file", "go"), call("message", "after"))
    await kandev.prompt(session, script(*words))
    await kandev.until(session, "message_chunk")
    return session, Path((await kandev.session(session))["metadata"]["workspace"], "go")


async def ended_once(kandev: Driver, session: str) -> None:
    """The turn has one end, all its words are there once, and the next turn works."""
    events = await kandev.until(session, "complete")
    again = await kandev.turn(session, script(call("message", "again")), events[-1]["sequence"])
    turns = await kandev.client.get(f"/api/v1/sessions/{session}/turns")

    texts = [each["body"]["text"] for each in events if each["kind"] == "message_chunk"]
    assert texts == ["before", "after"]
    assert [each["sequence"] for each in events] == list(range(1, len(events) + 1))
    assert again[-1]["body"]["state"] == "completed"
    assert [each["state"] for each in turns] == ["completed"] * 2


@requirement("session:frozen")
async def test_a_turn_during_which_everything_stood_still_goes_on_to_its_end(
    installation: Installation, checkout: Path
) -> None:
    async with served(installation) as server:
        session, go = await speaking(server.driver, checkout)
        everything = [server.process.pid, *hosts(installation), *processes_of(session)]
        with frozen(everything):
            await eventually(lambda: all(stands_still(each) for each in everything))
            go.touch()
        await ended_once(server.driver, session)
        await server.end(signal.SIGINT)

    assert len(everything) >= 3
    assert processes_of(session) == []


@requirement("session:frozen")
async def test_a_server_begins_while_agentctl_stands_still_and_the_turn_ends_when_it_goes_on(
    installation: Installation, checkout: Path
) -> None:
    async with served(installation) as server:
        session, go = await speaking(server.driver, checkout)
        await server.end(signal.SIGKILL)

    with frozen([*hosts(installation), *processes_of(session)]):
        go.touch()
        async with served(installation) as server:
            during = await server.driver.session(session)
            await server.end(signal.SIGKILL)
    async with served(installation) as server:
        await ended_once(server.driver, session)
        await server.end(signal.SIGINT)

    assert during["state"] == "running"
    assert processes_of(session) == []
