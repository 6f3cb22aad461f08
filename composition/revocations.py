"""Word of revoked tokens, within the one process that serves a home."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from typing_extensions import override

from domain.identity import TokenId
from ports.revocations import Revocations

__all__ = ("MemoryRevocations",)

KEPT: Final = 1024
"""The newest revoked tokens, for a request that was let in before and listens only now."""


class MemoryRevocations(Revocations):
    __slots__ = ("_listening", "_revoked")

    def __init__(self) -> None:
        self._revoked: deque[TokenId] = deque(maxlen=KEPT)
        self._listening: defaultdict[TokenId, set[asyncio.Event]] = defaultdict(set)

    @override
    def tell(self, token: TokenId) -> None:
        self._revoked.append(token)
        for each in self._listening.get(token, ()):
            each.set()

    @override
    @contextmanager
    def heard(self, token: TokenId) -> Iterator[asyncio.Event]:
        over = asyncio.Event()
        if token in self._revoked:
            over.set()
        self._listening[token].add(over)
        try:
            yield over
        finally:
            self._listening[token].discard(over)
            if not self._listening[token]:
                del self._listening[token]
