"""What a child said, and a bounded wait for it."""

import asyncio
from collections.abc import Callable

WAIT = 20.0


class Recorder:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._changed: asyncio.Future[None] = loop.create_future()
        self.chunks: list[bytes] = []

    def __call__(self, data: bytes) -> None:
        self.chunks.append(data)
        changed, self._changed = self._changed, self._loop.create_future()
        changed.set_result(None)

    @property
    def data(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def text(self) -> str:
        return self.data.decode()

    async def until(self, holds: Callable[[bytes], bool]) -> str:
        async with asyncio.timeout(WAIT):
            while not holds(self.data):
                await asyncio.shield(self._changed)
        return self.text

    async def line(self) -> str:
        """The first line, once it is whole."""
        return (await self.until(lambda data: b"\n" in data)).split("\n")[0]
