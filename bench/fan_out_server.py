"""The server of `bench.fan_out`: `python -m bench.fan_out_server KIND FOLDER`.

It prints its port and sends a burst of events to every reader for each line on its stdin.
"""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import uvicorn
import uvloop
from litestar import Litestar, get
from litestar.response import ServerSentEvent, Stream
from litestar.types import SSEData

from adapters.feed.memory import MemoryFeed
from adapters.http.api import Api
from adapters.http.events import events_from
from adapters.sqlite.store import SqliteStore, open_store
from adapters.system.clock import SystemClock
from bench.fan_out import BURST
from bench.session_events import Log
from composition.flights import FlightTasks

TEXT: Final = "x" * 80

Burst = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the event stream of the REST surface uses of its `Api`."""

    store: SqliteStore
    feed: MemoryFeed
    flights: FlightTasks


async def ours(folder: Path, stack: AsyncExitStack) -> tuple[Litestar, Burst]:
    """The product's stream over its own store."""
    store = await stack.enter_async_context(
        open_store(
            folder / "kandev.db", backups=folder / "backups", version="0", clock=SystemClock()
        )
    )
    feed, flights = MemoryFeed(), await stack.enter_async_context(FlightTasks())
    log = Log(store, "bench")
    await log.begin()
    parts: Any = Parts(store, feed, flights)
    sent = 0

    @get("/events", media_type="text/event-stream")
    async def events() -> Stream:
        return Stream(events_from(cast("Api", parts), log.session, sent, follow=True))

    async def burst() -> None:
        nonlocal sent
        await log.append(BURST)
        sent += BURST
        feed.publish(log.session, sent)

    return Litestar([events], logging_config=None), burst


async def queues(_: Path, __: AsyncExitStack) -> tuple[Litestar, Burst]:
    """The framework's own events, from a queue for each reader."""
    waiting: list[asyncio.Queue[str]] = []

    async def from_queue(queue: "asyncio.Queue[str]") -> AsyncIterator[SSEData]:
        number = 0
        while True:
            data = await queue.get()
            number += 1
            yield {"data": data, "event": "message_chunk", "id": str(number)}

    @get("/events")
    async def events() -> ServerSentEvent:
        queue: asyncio.Queue[str] = asyncio.Queue()
        waiting.append(queue)
        return ServerSentEvent(from_queue(queue))

    async def burst() -> None:
        for queue in waiting:
            for _ in range(BURST):
                queue.put_nowait(f'{{"kind":"message_chunk","body":{{"text":"{TEXT}"}}}}')

    return Litestar([events], logging_config=None), burst


async def serve(kind: str, folder: Path) -> None:
    async with AsyncExitStack() as stack:
        app, burst = await {"ours": ours, "queues": queues}[kind](folder, stack)
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.bind(("127.0.0.1", 0))
        listener.listen(1024)
        config = uvicorn.Config(cast("Any", app), log_config=None, access_log=False, lifespan="off")
        serving = asyncio.create_task(uvicorn.Server(config).serve(sockets=[listener]))
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        told = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(told), sys.stdin)
        while await told.readline():
            await burst()
        serving.cancel()


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1], Path(sys.argv[2])))
