"""The door to the tools, kept by a test: it answers every call, and remembers who came."""

import asyncio
import json
from collections.abc import AsyncIterator

from domain.identity import ExecutionId
from ports.tools import Say

__all__ = ("FakeTools",)


class FakeTools:
    """Answers a call with its method while `open` is set; the method `fail` breaks it, `end` ends it."""

    def __init__(self) -> None:
        self.came: list[ExecutionId] = []
        self.here = 0
        self.heard: list[str] = []
        self.open = asyncio.Event()
        self.open.set()

    async def serve(self, execution: ExecutionId, heard: AsyncIterator[bytes], say: Say) -> None:
        self.came.append(execution)
        self.here += 1
        try:
            async for line in heard:
                message = json.loads(line)
                self.heard.append(message["method"])
                await self.open.wait()
                if message["method"] == "fail":
                    raise RuntimeError("the door is broken")
                if message["method"] == "end":
                    return
                if "id" in message:
                    answer = {
                        "jsonrpc": "2.0",
                        "id": message["id"],
                        "result": {"to": message["method"]},
                    }
                    await say(json.dumps(answer).encode())
        finally:
            self.here -= 1
