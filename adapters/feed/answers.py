"""Waiting for answers on one event loop."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from domain.identity import InquiryId
from ports.answers import Wait

__all__ = ("MemoryAnswers",)


class MemoryAnswers:
    """One waiter an inquiry: the call of the tool that asked."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[InquiryId, asyncio.Event] = {}

    def given(self, inquiry: InquiryId) -> bool:
        waiting = self._waiting.get(inquiry)
        if waiting is not None:
            waiting.set()
        return waiting is not None

    @contextmanager
    def expected(self, inquiry: InquiryId) -> Iterator[Wait]:
        woken = self._waiting[inquiry] = asyncio.Event()

        async def wait(seconds: float) -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await woken.wait()

        try:
            yield wait
        finally:
            del self._waiting[inquiry]
