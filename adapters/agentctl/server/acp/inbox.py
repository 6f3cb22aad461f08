"""Messages for the SDK, in order. An idle one costs next to nothing: thousands may idle."""

import asyncio
from typing import Any

__all__ = ("Inbox",)


class Inbox:
    """One reader takes what is put; None says that there will be no more."""

    __slots__ = ("_messages", "_reader")

    def __init__(self) -> None:
        self._messages: list[dict[str, Any] | None] = []  # the SDK's own type
        self._reader: asyncio.Future[None] | None = None

    def put(self, message: dict[str, Any] | None) -> None:
        self._messages.append(message)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def take(self) -> dict[str, Any] | None:
        while not self._messages:
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        return self._messages.pop(0)
