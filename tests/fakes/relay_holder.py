"""A relay that takes a connection and remembers its epoch."""

from typing import Any

from litestar import WebSocket


class FakeRelay:
    def __init__(self) -> None:
        self.epochs: list[int] = []

    async def hold(self, socket: WebSocket[Any, Any, Any], epoch: int) -> None:
        await socket.accept()
        self.epochs.append(epoch)
        await socket.close()
