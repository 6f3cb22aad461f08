"""Something that happens once. While nobody waits it costs a tenth of an `asyncio.Event`."""

import asyncio

__all__ = ("Happening",)


class Happening:
    __slots__ = ("future",)

    def __init__(self) -> None:
        self.future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def __bool__(self) -> bool:
        """Whether it has happened."""
        return self.future.done()

    def happen(self) -> None:
        """Idempotent."""
        if not self.future.done():
            self.future.set_result(None)

    async def wait(self) -> None:
        await asyncio.shield(self.future)
