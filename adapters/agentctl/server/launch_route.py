"""A launch that is told as it happens: its events in lines, then what came of it.

Setup scripts may take long, and a launch that one of them forbids leaves no log to ask for.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Final

import msgspec
from litestar import post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.response import Stream

from adapters.agentctl import wire
from adapters.agentctl.launch_wire import LaunchEnd
from adapters.agentctl.server.instances import Instances, Launch
from adapters.agentctl.server.refusals import refused
from adapters.agentctl.server.routes import Core
from domain.outcome import Result, failed
from ports.runtime import RuntimeProblem

__all__ = ("launch", "told")

_encode: Final = msgspec.json.Encoder().encode


@post("/api/v1/launches", status_code=200)
async def launch(data: JSONBody[wire.Create], core: NamedDependency[Core]) -> Stream:
    return Stream(told(core.instances, data), media_type="application/x-ndjson")


async def told(instances: Instances, asked: wire.Create) -> AsyncGenerator[bytes]:
    """Whole lines; whoever stops to read them has given the launch up."""
    begun = instances.begin(asked)
    if failed(begun):
        yield _end(begun)
        return
    under_way = begun.unwrap()
    try:
        async with aclosing(_events(under_way)) as lines:
            async for line in lines:
                yield line
        await under_way.until_answered(())
        yield _end(under_way.answer())
    finally:
        under_way.leave()


async def _events(launch: Launch) -> AsyncGenerator[bytes]:
    """What is recorded until it is answered; of one that failed, everything."""
    await launch.until_answered((launch.instance.begun.future,))
    if not launch.instance.begun:
        return
    rest = b""
    # One that failed at once may have taken its log away before anybody could look.
    with suppress(FileNotFoundError):
        async with aclosing(launch.instance.log.follow(0)) as pieces:
            while piece := await _next(launch, pieces):
                whole, found, rest = (rest + piece).rpartition(b"\n")
                yield whole + found


async def _next(launch: Launch, pieces: AsyncGenerator[bytes]) -> bytes:
    """The next piece; nothing when there is none, or a launch that succeeded has no more now."""
    coming = asyncio.ensure_future(anext(pieces, b""))
    try:
        await launch.until_answered((coming,))
        if launch.created.done() and not failed(launch.created.result()):
            return coming.result() if coming.done() else b""
        return await coming
    finally:
        coming.cancel()
        await asyncio.wait({coming})


def _end(outcome: Result[wire.Created, RuntimeProblem]) -> bytes:
    if failed(outcome):
        return _encode(LaunchEnd(refused=refused(outcome.failure()))) + b"\n"
    return _encode(LaunchEnd(created=outcome.unwrap())) + b"\n"
