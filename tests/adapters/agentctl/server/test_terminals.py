"""Terminals beside a real agent: shown, typed into, looked at by several, gone with it."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import pytest

from adapters.agentctl import wire
from adapters.agentctl.server.instance import Instance
from adapters.agentctl.server.terminals import Lost, OpenTerminal, Shown
from adapters.process.table import read
from domain.secret import Secret
from domain.terminal import HISTORY_BYTES, MAX_TERMINALS, MAX_VIEWERS, TerminalSize
from ports.processes import Exit
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.conftest import House
from tests.adapters.agentctl.server.test_launch import MANAGED
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

SH = [wire.Layer("request", {"SHELL": "/bin/sh", "PS1": "> ", "ENV": ""})]


async def opened(instance: Instance, size: TerminalSize | None = None) -> OpenTerminal:
    columns, rows = size or TerminalSize()
    beside = instance.beside().unwrap()
    made = (await beside.open(columns, rows)).unwrap()
    return beside.terminals.find(made.id).unwrap()


class Viewer:
    """Looks at a terminal until it has seen what it waits for."""

    def __init__(self, terminal: OpenTerminal) -> None:
        self._looking: AsyncGenerator[Shown] = terminal.look()
        self.seen = b""
        self.lost = 0
        self.ended: Exit | None = None

    async def until(self, part: bytes) -> bytes:
        async with asyncio.timeout(20):
            while part not in self.seen:
                await self._see(await anext(self._looking))
        return self.seen

    async def to_the_end(self) -> Exit | None:
        async with asyncio.timeout(20):
            async for shown in self._looking:
                await self._see(shown)
        return self.ended

    async def _see(self, shown: Shown) -> None:
        if isinstance(shown, bytes):
            self.seen += shown
        elif isinstance(shown, Lost):
            self.lost += shown.size
        else:
            self.ended = shown

    async def leave(self) -> None:
        await self._looking.aclose()


@requirement("terminal:open")
@requirement("terminal:size")
async def test_a_shell_is_typed_into_where_the_agent_works(house: House) -> None:
    instance = await house.launch(layers=SH)
    terminal = await opened(instance, TerminalSize(100, 30))
    viewer = Viewer(terminal)

    await terminal.type(b"pwd; stty size; echo on $(tty)\n")
    await viewer.until(b"on /dev/pts")
    terminal.resize(TerminalSize(90, 20))
    await terminal.type(b"stty size; exit 3\n")
    ended = await viewer.to_the_end()

    assert f"{house.workspace}\r\n30 100\r\n".encode() in viewer.seen
    assert b"20 90\r\n" in viewer.seen
    assert ended == Exit(3, None)
    assert list(instance.beside().unwrap().terminals.all()) == []


@requirement("terminal:environment")
async def test_a_shell_has_the_environment_of_the_agent_and_a_kind_of_terminal(
    house: House,
) -> None:
    layers = [*SH, wire.Layer("agent profile", {"CHOSEN": "by-the-user", "GIT_DIR": "/x"})]
    instance = await house.launch(layers=layers, managed=MANAGED)
    terminal = await opened(instance)
    shown = terminal.shown()
    pid, _ = instance.identity or (0, 0)

    await terminal.type(b"env -0 > told; echo do''ne\n")
    await Viewer(terminal).until(b"done")

    def variables(text: str) -> dict[str, str]:
        found = (each.partition("=") for each in text.split("\0") if each)
        return {key: value for key, _, value in found if key not in {"PWD", "SHLVL", "_", "OLDPWD"}}

    agent = variables(Path(f"/proc/{pid}/environ").read_text())
    assert "GIT_CONFIG_COUNT" in agent
    assert variables((house.workspace / "told").read_text()) == {"TERM": "xterm-256color"} | agent
    assert "by-the-user" not in repr(shown)


@requirement("terminal:viewers")
async def test_whoever_comes_later_sees_what_was_shown_and_everybody_the_same(
    house: House,
) -> None:
    instance = await house.launch(layers=SH)
    terminal = await opened(instance)
    first = Viewer(terminal)
    await terminal.type(b"echo o''ne\n")
    await first.until(b"one")
    second = Viewer(terminal)
    await second.until(b"one")

    await terminal.type(b"echo t''wo\n")
    await asyncio.gather(first.until(b"two"), second.until(b"two"))
    looking = terminal.shown().viewers
    await first.leave()
    await second.leave()

    assert first.seen == second.seen
    assert (looking, terminal.shown().viewers) == (2, 0)


@requirement("terminal:viewers")
@requirement("terminal:history")
async def test_one_who_cannot_keep_up_is_told_what_is_gone(house: House) -> None:
    instance = await house.launch(layers=SH)
    terminal = await opened(instance)
    slow, other = Viewer(terminal), Viewer(terminal)
    await slow.until(b"> ")

    await terminal.type(
        f"head -c {2 * HISTORY_BYTES} /dev/zero | tr '\\0' x; echo e''nd\n".encode()
    )
    await other.until(b"end")
    await slow.until(b"end")
    late = Viewer(terminal)
    await late.until(b"end")

    assert slow.lost > HISTORY_BYTES // 2
    assert len(late.seen) <= HISTORY_BYTES + len("\r\n> ")
    assert late.lost == 0


@requirement("terminal:bound")
async def test_so_many_are_open_and_so_many_look(house: House) -> None:
    instance = await house.launch(layers=SH)
    terminals = [await opened(instance) for _ in range(MAX_TERMINALS)]
    one_more = await instance.beside().unwrap().open(80, 24)
    viewers = [Viewer(terminals[0]) for _ in range(MAX_VIEWERS - 1)]
    for each in viewers:
        await each.until(b"> ")
    before = terminals[0].crowded
    async with aclosing(terminals[0].look()) as last:
        await anext(last)
        full = terminals[0].crowded
    for each in viewers:
        await each.leave()

    assert one_more.failure().code is RuntimeCode.LIMITED
    assert (before, full, terminals[0].crowded) == (False, True, False)


@requirement("terminal:end")
@pytest.mark.parametrize("how", ["hang up", "stop", "crash"])
async def test_a_terminal_ends_with_all_its_jobs(house: House, how: str) -> None:
    instance = await house.launch(layers=SH)
    terminal = await opened(instance)
    await terminal.type(b"set -m; sleep 600 & echo $! > job; (setsid sleep 601 & echo $! > away)\n")
    files = [house.workspace / name for name in ("job", "away")]
    await eventually(lambda: all(each.exists() and each.read_text() for each in files))
    pids = [int(each.read_text()) for each in files]
    viewer = Viewer(terminal)

    if how == "hang up":
        (await instance.beside().unwrap().terminals.end(terminal.id)).unwrap()
        pids.pop()  # it left the terminal, and ends with the instance
    elif how == "stop":
        await instance.stop()
    else:
        instance.prompt(1, "crash:1").unwrap()
        await eventually(lambda: instance.over)
    ended = await viewer.to_the_end()

    living = [read(pid) for pid in pids]
    assert [each for each in living if each is not None and not each.ended] == []
    assert ended is not None
    assert ended.status != 0


@requirement("terminal:redacted")
async def test_a_secret_that_is_shown_in_one_piece_is_masked(house: House) -> None:
    secret = "kdl_" + os.urandom(24).hex()
    house.redactor.register(Secret(secret)).unwrap()
    instance = await house.launch(layers=SH)
    (house.workspace / "file").write_text(f"{secret}\n")
    terminal = await opened(instance)
    viewer = Viewer(terminal)

    await terminal.type(b"cat file; echo e''nd\n")
    seen = await viewer.until(b"end")
    await viewer.leave()

    assert secret.encode() not in seen
    assert b"[REDACTED]" in seen


@requirement("terminal:open")
async def test_what_is_not_there_is_not_found(house: House) -> None:
    instance = await house.launch(layers=SH)
    terminals = instance.beside().unwrap().terminals

    assert terminals.find("t1").failure().code is RuntimeCode.NO_TERMINAL
    assert (await terminals.end("t1")).failure().code is RuntimeCode.NO_TERMINAL
