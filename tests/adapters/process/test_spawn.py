import itertools
import os
import resource
from pathlib import Path

import pytest

from adapters.process.spawn import LocalProcesses
from domain.outcome import failed
from ports.processes import Exit, SpawnCode, SpawnFailed
from tests.adapters.process.conftest import Start
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def _ignore(_: bytes) -> None:
    return


def _descriptors() -> list[int]:
    with os.scandir("/proc/self/fd") as entries:
        return sorted(int(entry.name) for entry in entries)


@requirement("processes:start:exactly")
async def test_a_program_sees_exactly_its_environment(tmp_path: Path) -> None:
    said: list[bytes] = []

    outcome = await LocalProcesses().start(
        ["/usr/bin/env", "-0"],
        directory=str(tmp_path),
        environment={"ONLY": "this", "BYTES": "\udcff", "EMPTY": ""},
        on_stdout=said.append,
        on_stderr=_ignore,
    )
    ended = await outcome.unwrap().wait()

    assert ended == Exit(0, None)
    assert sorted(b"".join(said).split(b"\0")) == [b"", b"BYTES=\xff", b"EMPTY=", b"ONLY=this"]


@requirement("processes:start:exactly")
async def test_a_program_starts_in_its_directory(start: Start, tmp_path: Path) -> None:
    child, stdout, _ = await start("pwd -P")
    await child.wait()

    assert stdout.text == f"{tmp_path.resolve()}\n"


@requirement("processes:start:exactly")
async def test_a_program_inherits_three_descriptors_and_nothing_else(start: Start) -> None:
    kept = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(kept, True)
    try:
        child, stdout, _ = await start("exec ls /proc/self/fd")
        await child.wait()
    finally:
        os.close(kept)

    # The last one is the folder that `ls` reads.
    assert stdout.text.split() == ["0", "1", "2", "3"]


@requirement("processes:start:session")
async def test_a_program_leads_a_session_and_a_group(start: Start) -> None:
    child, stdout, _ = await start("cut -d' ' -f5,6 /proc/$$/stat; read line")

    group, session = (await stdout.line()).split()

    assert (int(group), int(session)) == (child.pid, child.pid)
    assert os.getpgid(child.pid) != os.getpgid(0)
    await child.stop(polite=5, terminate=5, kill=5)


@requirement("processes:start:failures")
@pytest.mark.parametrize(
    ("program", "directory", "code"),
    [
        ("/nonexistent/agent", "/", SpawnCode.NOT_FOUND),
        ("agent", "/", SpawnCode.NOT_FOUND),
        ("/etc/hostname/agent", "/", SpawnCode.NOT_FOUND),
        ("/etc/passwd", "/", SpawnCode.NOT_EXECUTABLE),
        ("/etc", "/", SpawnCode.NOT_EXECUTABLE),
        ("/bin/true", "/nonexistent", SpawnCode.NO_DIRECTORY),
        ("/bin/true", "/etc/passwd", SpawnCode.NO_DIRECTORY),
    ],
)
async def test_what_cannot_start_is_told_apart(
    program: str, directory: str, code: SpawnCode
) -> None:
    outcome = await LocalProcesses().start(
        [program], directory=directory, environment={}, on_stdout=_ignore, on_stderr=_ignore
    )

    assert failed(outcome)
    assert outcome.failure() == SpawnFailed(code, program)


@requirement("processes:start:failures")
async def test_a_script_whose_interpreter_is_missing_is_not_found(tmp_path: Path) -> None:
    script = tmp_path / "agent"
    script.write_text("#!/nonexistent/python\n", encoding="utf-8")
    script.chmod(0o755)

    outcome = await LocalProcesses().start(
        [str(script)], directory="/", environment={}, on_stdout=_ignore, on_stderr=_ignore
    )

    assert failed(outcome)
    assert outcome.failure() == SpawnFailed(SpawnCode.NOT_FOUND, str(script))


@requirement("processes:start:failures")
async def test_an_environment_too_big_for_the_kernel_is_said(tmp_path: Path) -> None:
    outcome = await LocalProcesses().start(
        ["/bin/true"],
        directory=str(tmp_path),
        environment={"BIG": "x" * (128 * 1024)},
        on_stdout=_ignore,
        on_stderr=_ignore,
    )

    assert failed(outcome)
    assert outcome.failure() == SpawnFailed(SpawnCode.TOO_BIG, "/bin/true")


@requirement("processes:start:failures")
async def test_a_machine_without_descriptors_is_said_and_keeps_none() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = _descriptors()
    free = (number for number in itertools.count() if number not in before)
    resource.setrlimit(resource.RLIMIT_NOFILE, (next(itertools.islice(free, 4, None)), hard))
    try:
        outcome = await LocalProcesses().start(
            ["/bin/true"], directory="/", environment={}, on_stdout=_ignore, on_stderr=_ignore
        )
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert failed(outcome)
    assert outcome.failure() == SpawnFailed(SpawnCode.NO_RESOURCES, "/bin/true")
    assert _descriptors() == before


async def test_the_exit_is_a_status_or_a_signal(start: Start) -> None:
    status, _, _ = await start("exit 7")
    signalled, _, _ = await start("kill -9 $$")

    assert await status.wait() == Exit(7, None)
    assert await signalled.wait() == Exit(None, 9)
    assert await signalled.wait() == Exit(None, 9)
