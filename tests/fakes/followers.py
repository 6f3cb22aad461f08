"""Who watches over executions, as a list; nothing runs."""

from collections.abc import Sequence

from typing_extensions import override

from domain.event import ExecutionEvent
from domain.execution import Handle
from domain.identity import TurnId
from ports.followers import Followers

__all__ = ("ListingFollowers",)


class ListingFollowers(Followers):
    def __init__(self) -> None:
        self.followed: list[tuple[Handle, int]] = []
        self.told: list[tuple[Handle, tuple[ExecutionEvent, ...]]] = []
        self.doubts: list[TurnId | None] = []

    @override
    def follow(self, handle: Handle, after: int, doubt: TurnId | None = None) -> None:
        self.followed.append((handle, after))
        self.doubts.append(doubt)

    @override
    async def heard(self, handle: Handle, events: Sequence[ExecutionEvent]) -> None:
        self.told.append((handle, tuple(events)))
