"""The control plane as an instance's socket sees it: who is asked for a credential, and answers."""

import asyncio

from adapters.agentctl.wire import CredentialAnswer, CredentialAsk
from domain.identity import ExecutionId

__all__ = ("FakeDesk",)


class FakeDesk:
    """Answers from `given`, by host and path, and None for any other; remembers what it was asked.

    While `open` is not set, nobody is answered.
    """

    def __init__(self) -> None:
        self.given: dict[str, CredentialAnswer] = {}
        self.asked: list[tuple[ExecutionId, CredentialAsk]] = []
        self.open = asyncio.Event()
        self.open.set()

    async def __call__(
        self, execution: ExecutionId, asked: CredentialAsk
    ) -> CredentialAnswer | None:
        self.asked.append((execution, asked))
        await self.open.wait()
        return self.given.get(asked.host + asked.path)
