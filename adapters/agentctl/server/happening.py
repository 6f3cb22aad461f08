"""Something that happens once. While nobody waits it costs a tenth of an `asyncio.Event`."""

import asyncio

__all__ = ("Happening",)


class Happening:
    __slots__ = ("_future", "_happened")

    def __init__(self) -> None:
        self._happened = False
        self._future: asyncio.Future[None] | None = None

    def __bool__(self) -> bool:
        """Whether it has happened."""
        return self._happened

    @property
    def future(self) -> "asyncio.Future[None]":
        """Done once it has happened; who waits for it alone need not shield it."""
        if self._future is None or (self._future.cancelled() and not self._happened):
            self._future = asyncio.get_running_loop().create_future()
            if self._happened:
                self._future.set_result(None)
        return self._future

    def happen(self) -> None:
        """Idempotent."""
        self._happened = True
        if self._future is not None and not self._future.done():
            self._future.set_result(None)

    async def wait(self) -> None:
        await asyncio.shield(self.future)
