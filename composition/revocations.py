"""Word of what was revoked, within the one process that serves a home."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from typing_extensions import override

from domain.identity import SignInId, TokenId, UserId
from ports.revocations import Held, Revocations

__all__ = ("MemoryRevocations",)

KEPT: Final = 1024
"""The newest that were revoked, for a request that was let in before and listens only now."""


class MemoryRevocations(Revocations):
    __slots__ = ("_listening", "_revoked")

    def __init__(self) -> None:
        self._revoked: deque[Held] = deque(maxlen=KEPT)
        self._listening: defaultdict[Held, set[asyncio.Event]] = defaultdict(set)

    @override
    def tell(self, held: TokenId | SignInId) -> None:
        self._revoked.append(held)
        self._end(held)

    @override
    def interrupt(self, user: UserId) -> None:
        self._end(user)

    @override
    @contextmanager
    def heard(self, *held: Held) -> Iterator[asyncio.Event]:
        over = asyncio.Event()
        if any(each in self._revoked for each in held):
            over.set()
        for each in held:
            self._listening[each].add(over)
        try:
            yield over
        finally:
            for each in held:
                self._listening[each].discard(over)
                if not self._listening[each]:
                    del self._listening[each]

    def _end(self, held: Held) -> None:
        for each in self._listening.get(held, ()):
            each.set()
