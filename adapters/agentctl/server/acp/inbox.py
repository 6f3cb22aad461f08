"""Messages for the SDK, in order. An idle one costs next to nothing: thousands may idle."""

import asyncio
from typing import Any

__all__ = ("Inbox",)


class Inbox:
    """One reader at a time takes what is put; None says that there will be no more for it."""

    __slots__ = ("_messages", "_reader")

    def __init__(self) -> None:
        self._messages: list[dict[str, Any] | None] = []  # the SDK's own type
        self._reader: asyncio.Future[bool] | None = None

    def put(self, message: dict[str, Any] | None) -> None:
        self._messages.append(message)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(True)

    def dismiss(self) -> bool:
        """Let the reader that waits go, and say whether one did. What is put is for the next."""
        reader, self._reader = self._reader, None
        if self._messages or reader is None or reader.done():
            self._reader = reader
            return False
        reader.set_result(False)
        return True

    async def take(self) -> dict[str, Any] | None:
        while not self._messages:
            self._reader = asyncio.get_running_loop().create_future()
            if not await self._reader:
                return None
        return self._messages.pop(0)
