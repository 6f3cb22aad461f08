"""Telling those who follow what a unit of work changed, once it is durable."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from domain.change import MAX_UNSEEN, Change

__all__ = ("Followers",)


class _Follower:
    """Keeps what was not looked at yet, each change once and in order."""

    __slots__ = ("_lost", "_unseen", "_woken")

    def __init__(self) -> None:
        self._unseen: dict[Change, None] = {}
        self._woken = asyncio.Event()
        self._lost = False

    def tell(self, changes: Sequence[Change]) -> None:
        if self._lost:
            return
        self._unseen.update(dict.fromkeys(changes))
        if len(self._unseen) > MAX_UNSEEN:
            self._lost = True
            self._unseen.clear()
        self._woken.set()

    async def __call__(self) -> Sequence[Change]:
        await self._woken.wait()
        seen = tuple(self._unseen)
        self._unseen.clear()
        if not self._lost:
            self._woken.clear()
        return seen


class Followers:
    """Never blocks who tells them, and costs nothing while there are none."""

    __slots__ = ("_followers",)

    def __init__(self) -> None:
        self._followers: set[_Follower] = set()

    def publish(self, changes: Iterable[Change]) -> None:
        if not self._followers:
            return
        told = tuple(changes)
        if told:
            for each in self._followers:
                each.tell(told)

    @contextmanager
    def follow(self) -> Iterator[_Follower]:
        one = _Follower()
        self._followers.add(one)
        try:
            yield one
        finally:
            self._followers.discard(one)
