import asyncio
import time

import pytest

from ports.processes import Child, Exit
from tests.adapters.process.conftest import Start
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

MEBIBYTE = 1 << 20


async def _write_for_ever(child: Child) -> None:
    async with asyncio.timeout(10):
        while True:
            await child.write(b"x" * MEBIBYTE)


@requirement("processes:output:order")
async def test_output_arrives_in_order_in_bounded_pieces_and_ends_once(start: Start) -> None:
    child, stdout, stderr = await start("seq 300000; echo done >&2")

    await child.wait()

    assert stdout.text == "".join(f"{number}\n" for number in range(1, 300001))
    assert stderr.text == "done\n"
    assert max(map(len, stdout.chunks)) <= 256 * 1024
    assert [chunk for chunk in stdout.chunks if not chunk] == [b""]
    assert (stdout.chunks[-1], stderr.chunks[-1]) == (b"", b"")


@requirement("processes:output:pause")
async def test_a_paused_program_waits_and_loses_nothing(start: Start) -> None:
    child, stdout, stderr = await start("read go; echo ready >&2; seq 300000; echo written >&2")
    child.pause_stdout()
    await child.write(b"go\n")

    await stderr.line()
    assert stdout.chunks == []
    assert "written" not in stderr.text

    child.resume_stdout()
    await child.wait()
    assert stdout.text == "".join(f"{number}\n" for number in range(1, 300001))
    assert stderr.text == "ready\nwritten\n"


@requirement("processes:output:pause")
async def test_what_a_program_wrote_before_its_end_outlives_a_pause(start: Start) -> None:
    child, stdout, stderr = await start("read go; echo last words; echo x >&2")
    child.pause_stdout()
    await child.write(b"go\n")
    await stderr.until(lambda _: b"" in stderr.chunks)

    waiting = asyncio.ensure_future(child.wait())
    done, _ = await asyncio.wait([waiting], timeout=1.2)
    assert not done

    child.resume_stdout()
    assert await waiting == Exit(0, None)
    assert stdout.text == "last words\n"


@requirement("processes:output:pause")
async def test_stopping_delivers_what_a_paused_pipe_holds(start: Start) -> None:
    child, stdout, stderr = await start("read go; echo kept; echo x >&2; exec sleep 60")
    child.pause_stdout()
    await child.write(b"go\n")
    await stderr.line()

    await child.stop(polite=0, terminate=5, kill=5)

    assert stdout.chunks == [b"kept\n", b""]


@requirement("processes:output:held-open")
async def test_an_output_held_open_by_a_descendant_is_given_up(start: Start) -> None:
    child, stdout, _ = await start("sleep 60 & echo $!")

    begun = time.monotonic()
    ended = await child.wait()

    assert ended == Exit(0, None)
    assert time.monotonic() - begun >= 0.9
    assert (stdout.chunks[-1], len(stdout.text.split())) == (b"", 1)
    await child.stop(polite=0, terminate=5, kill=5)


@requirement("processes:input:full")
async def test_writing_waits_for_a_reader_and_loses_nothing(start: Start) -> None:
    child, stdout, _ = await start("sleep 0.1; wc -c")

    for _ in range(4):
        await child.write(b"x" * MEBIBYTE)
    child.close_stdin()
    await child.wait()

    assert int(stdout.text) == 4 * MEBIBYTE


@requirement("processes:input:full")
async def test_writers_take_turns_and_one_may_be_cancelled(start: Start) -> None:
    child, stdout, _ = await start("read go; wc -c")
    first = asyncio.ensure_future(child.write(b"go\n" + b"a" * MEBIBYTE))
    second = asyncio.ensure_future(child.write(b"b" * MEBIBYTE))
    await asyncio.sleep(0)
    first.cancel()
    await second
    child.close_stdin()
    await child.wait()

    assert int(stdout.text) == 2 * MEBIBYTE


@requirement("processes:input:full")
async def test_writing_to_a_program_that_closed_its_input_fails(start: Start) -> None:
    child, stdout, _ = await start("exec 0<&-; echo closed; exec sleep 60")
    await stdout.line()

    with pytest.raises(BrokenPipeError):
        await _write_for_ever(child)

    await child.stop(polite=0, terminate=5, kill=5)


@requirement("processes:input:full")
async def test_a_blocked_writer_is_told_when_the_program_ends(start: Start) -> None:
    child, _, _ = await start("sleep 0.2; exit 0")

    with pytest.raises(BrokenPipeError):
        await _write_for_ever(child)
    with pytest.raises(BrokenPipeError):
        await child.write(b"more")
    await child.wait()
