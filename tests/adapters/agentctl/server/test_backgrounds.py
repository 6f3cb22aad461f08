"""Background commands beside a real agent: run, read, stopped, and gone with the instance."""

import asyncio
import os
from pathlib import Path

import pytest

from adapters.agentctl import wire
from adapters.agentctl.server import record
from adapters.agentctl.server.backgrounds import Backgrounds, Program
from adapters.agentctl.server.instance import Instance
from adapters.agentctl.server.remains import Recovery
from adapters.process.leftovers import LocalLeftovers
from adapters.process.table import read
from adapters.system.clock import SystemClock
from domain.background import MAX_KEPT, MAX_RUNNING, Background, BackgroundState
from domain.outcome import failed
from domain.secret import Secret
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.conftest import House
from tests.adapters.agentctl.server.test_launch import MANAGED
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def lives(pid: int) -> bool:
    process = read(pid)
    return process is not None and not process.ended


async def run(instance: Instance, command: str, folder: str = "") -> Background:
    return (await instance.beside().unwrap().run(command, folder)).unwrap()


def beside(instance: Instance) -> Backgrounds:
    return instance.beside().unwrap().backgrounds


def shown(instance: Instance, name: str) -> Background:
    return next(each for each in beside(instance).all() if each.id == name)


async def over(instance: Instance, name: str) -> Background:
    await eventually(lambda: shown(instance, name).state is not BackgroundState.RUNNING)
    return shown(instance, name)


def said(instance: Instance, name: str) -> str:
    return beside(instance).output(name, 0).unwrap().text


async def pid_in(path: Path) -> int:
    await eventually(lambda: path.exists() and path.read_text().strip() != "")
    return int(path.read_text())


@requirement("background:start")
@requirement("background:output")
async def test_a_command_runs_beside_the_agent_and_is_read_from_any_byte(house: House) -> None:
    instance = await house.launch()
    (house.workspace / "web").mkdir()

    started = await run(instance, "pwd; echo wrong >&2; exit 3", "web")
    ended = await over(instance, started.id)
    directory = str(house.workspace / "web")
    text = said(instance, started.id)
    rest = beside(instance).output(started.id, len(directory) + 1).unwrap()

    assert (started.state, started.exit, started.ended_at) == (BackgroundState.RUNNING, None, None)
    assert (ended.state, ended.exit, ended.output) == (BackgroundState.FAILED, 3, len(text))
    assert sorted(text.splitlines()) == sorted([directory, "wrong"])
    assert (rest.text, rest.ended) == (text[len(directory) + 1 :], True)


@requirement("background:environment")
async def test_a_command_has_the_environment_of_the_agent_and_tells_none_of_it(
    house: House,
) -> None:
    layers = [wire.Layer("request", {"CHOSEN": "by-the-user", "GIT_DIR": "/elsewhere"})]
    instance = await house.launch(layers=layers, managed=MANAGED)
    pid, _ = instance.identity or (0, 0)

    started = await run(instance, "env -0 > told")
    ended = await over(instance, started.id)

    def variables(path: Path) -> dict[str, str]:
        found = (each.partition("=") for each in path.read_text().split("\0") if each)
        return {key: value for key, _, value in found if key not in {"PWD", "SHLVL", "_", "OLDPWD"}}

    assert variables(house.workspace / "told") == variables(Path(f"/proc/{pid}/environ"))
    assert "by-the-user" not in repr((started, ended))


@requirement("background:stop")
async def test_a_command_is_stopped_with_all_that_it_started(house: House) -> None:
    instance = await house.launch()
    started = await run(instance, "sleep 600 & echo $! > inner; exec sleep 601")
    inner = await pid_in(house.workspace / "inner")

    stopped = (await beside(instance).stop(started.id)).unwrap()
    again = (await beside(instance).stop(started.id)).unwrap()
    absent = (await beside(instance).stop("p9")).failure()

    assert (stopped.state, stopped.signal) == (BackgroundState.STOPPED, 15)
    assert again == stopped
    assert not lives(inner)
    assert absent.code is RuntimeCode.NO_PROCESS


@requirement("background:stop")
async def test_a_command_that_is_over_leaves_nothing_running(house: House) -> None:
    instance = await house.launch()
    started = await run(instance, "sleep 600 & echo $! > inner")
    ended = await over(instance, started.id)

    assert ended.state is BackgroundState.EXITED
    assert not lives(int((house.workspace / "inner").read_text()))


@requirement("background:end")
@pytest.mark.parametrize("how", ["stop", "crash"])
async def test_commands_end_with_the_instance_what_escaped_included(house: House, how: str) -> None:
    instance = await house.launch()
    backgrounds = beside(instance)
    await run(instance, "(setsid sleep 600 & echo $! > escaped) & echo $$ > shell; sleep 601")
    pids = [await pid_in(house.workspace / name) for name in ("escaped", "shell")]

    if how == "stop":
        await instance.stop()
    else:
        instance.prompt(1, "crash:1").unwrap()
        await eventually(lambda: instance.over)

    assert [pid for pid in pids if lives(pid)] == []
    assert [each.state for each in backgrounds.all()] == [BackgroundState.STOPPED]
    assert instance.beside().failure().code is RuntimeCode.NO_INSTANCE
    late = Program(["/bin/true"], "true", "/", {})
    async with asyncio.TaskGroup() as group:
        refused = await backgrounds.start(group, late)
    assert refused.failure().code is RuntimeCode.NO_INSTANCE


@requirement("background:bound")
async def test_so_many_run_and_so_many_are_told_of(house: House) -> None:
    instance = await house.launch()
    for _ in range(MAX_KEPT - MAX_RUNNING + 1):
        await over(instance, (await run(instance, "true")).id)
    for _ in range(MAX_RUNNING - 1):
        await run(instance, "exec sleep 600")
    before = [each.id for each in beside(instance).all()]
    await run(instance, "exec sleep 600")
    after = [each.id for each in beside(instance).all()]
    one_more = await instance.beside().unwrap().run("true", "")

    assert (len(before), before[0]) == (MAX_KEPT, "p1")
    assert (len(after), after[0]) == (MAX_KEPT, "p2")
    assert one_more.failure().code is RuntimeCode.LIMITED


@requirement("background:start:refused")
@pytest.mark.parametrize("folder", ["no-such-folder", "../elsewhere", "/"])
async def test_what_cannot_start_is_refused_and_not_told_of(house: House, folder: str) -> None:
    instance = await house.launch()

    refused = await instance.beside().unwrap().run("true", folder)

    assert refused.failure().code is RuntimeCode.INVALID
    assert list(beside(instance).all()) == []


@requirement("background:output")
async def test_a_secret_is_masked_in_what_a_command_writes(house: House) -> None:
    secret = "kdl_" + os.urandom(24).hex()
    house.redactor.register(Secret(secret)).unwrap()
    instance = await house.launch()

    command = f"printf %s {secret[:20]}; sleep 0.1; printf '%s\\n' {secret[20:]}"
    started = await run(instance, command)
    await over(instance, started.id)

    assert said(instance, started.id) == "[REDACTED]\n"


@requirement("background:orphans")
async def test_what_a_killed_agentctl_left_is_found_by_what_it_recorded(house: House) -> None:
    """One that wiped its environment, so that no mark tells whose it is."""
    instance = await house.launch()
    await run(instance, "echo $$ > pid; exec env -i sleep 600")
    pid = await pid_in(house.workspace / "pid")
    await eventually(lambda: Path(f"/proc/{pid}/environ").read_bytes() == b"")
    directory = house.home / "instances" / house.execution
    known = record.read(directory)
    assert known is not None
    left = house.home / "left"
    (left / house.execution).mkdir(parents=True)
    record.write(left / house.execution, replace_agent(known))

    leftovers, clock = LocalLeftovers(), SystemClock()
    recovery = Recovery(left, leftovers, lambda *_: False, clock.now, 1.0, 2.0)
    await recovery()

    assert not lives(pid)
    assert not failed(instance.beside())


def replace_agent(known: record.Record) -> record.Record:
    """The record as of another execution, without the agent, which is to live on."""
    return record.Record(
        f"{known.execution}-left", known.task, known.session, known.agentctl, None, known.beside
    )
