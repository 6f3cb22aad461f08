"""Programs on terminals: what they are told, what they say, and that nothing of them stays."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from adapters.process.table import read
from adapters.process.terminal import LocalTerminals
from domain.terminal import TerminalSize
from ports.processes import Exit, SpawnCode, Terminal
from tests.adapters.process.recorder import Recorder
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

Open = Callable[..., Awaitable[tuple[Terminal, Recorder]]]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    async def open_(*command: str) -> tuple[Terminal, Recorder]:
        recorder = Recorder(asyncio.get_running_loop())
        outcome = await LocalTerminals().start(
            command,
            directory=str(tmp_path),
            environment={"PATH": "/usr/bin:/bin"},
            size=TerminalSize(100, 30),
            on_output=recorder,
        )
        return outcome.unwrap(), recorder

    return open_


def lives(pid: int) -> bool:
    process = read(pid)
    return process is not None and not process.ended


@requirement("processes:terminal")
async def test_a_program_has_a_terminal_of_its_own_and_its_size(opened: Open) -> None:
    terminal, said = await opened("/bin/sh", "-c", "stty size; echo mine > /dev/tty; exit 3")
    ended = await terminal.wait()
    await terminal.stop(polite=0, terminate=1, kill=1)

    assert ended == Exit(3, None)
    assert said.text == "30 100\r\nmine\r\n"


@requirement("processes:terminal")
async def test_what_is_typed_is_read_and_another_size_is_told(opened: Open) -> None:
    # A signal may end a `read` of the shell with nothing.
    asks = 'until read line; do :; done; echo "got $line"; cat'
    script = f"trap 'stty size' WINCH; echo ready; {asks}"
    terminal, said = await opened("/bin/sh", "-c", script)
    await eventually(lambda: "ready" in said.text)

    terminal.resize(TerminalSize(120, 40))
    await terminal.write(b"one\n")
    await eventually(lambda: "got one" in said.text and "40 120" in said.text)
    await terminal.write(b"\x04")

    assert await terminal.wait() == Exit(0, None)
    with pytest.raises(BrokenPipeError):
        await terminal.write(b"two\n")


@requirement("processes:terminal:end")
async def test_a_shell_that_waits_for_a_person_ends_with_its_jobs(opened: Open) -> None:
    terminal, said = await opened("/bin/bash", "--norc", "--noprofile", "-i")
    await terminal.write(b"sleep 600 & echo pid=$!.\n")
    await eventually(lambda: "pid=" in said.text.replace("pid=$", ""))
    job = int(said.text.replace("pid=$", "").split("pid=")[1].split(".")[0])

    ended = await terminal.stop(polite=5, terminate=1, kill=1)

    assert ended.signal == 1
    assert not lives(job)
    assert not lives(terminal.pid)


@requirement("processes:terminal:end")
async def test_a_terminal_that_a_descendant_holds_is_given_up(opened: Open) -> None:
    terminal, said = await opened("/bin/sh", "-c", "trap '' HUP; sleep 600 & echo $!")

    assert await terminal.wait() == Exit(0, None)
    await terminal.stop(polite=0, terminate=1, kill=1)

    assert not lives(int(said.text))


@requirement("processes:terminal")
@pytest.mark.parametrize(
    ("program", "directory", "code"),
    [
        ("/no/such/program", "/", SpawnCode.NOT_FOUND),
        ("sh", "/", SpawnCode.NOT_FOUND),
        ("/bin/sh", "/no/such/directory", SpawnCode.NO_DIRECTORY),
    ],
)
async def test_what_cannot_start_on_a_terminal_is_told(
    program: str, directory: str, code: SpawnCode
) -> None:
    refused = await LocalTerminals().start(
        [program],
        directory=directory,
        environment={},
        size=TerminalSize(),
        on_output=lambda _: None,
    )

    assert refused.failure().code is code
