"""Who watches over executions, as a list; nothing runs."""

from typing_extensions import override

from domain.execution import Handle
from domain.identity import TurnId
from ports.followers import Followers

__all__ = ("ListingFollowers",)


class ListingFollowers(Followers):
    def __init__(self) -> None:
        self.followed: list[tuple[Handle, int]] = []
        self.doubts: list[TurnId | None] = []

    @override
    def follow(self, handle: Handle, after: int, doubt: TurnId | None = None) -> None:
        self.followed.append((handle, after))
        self.doubts.append(doubt)
