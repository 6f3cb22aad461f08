"""Who watches over executions, as a list; nothing runs."""

from typing_extensions import override

from domain.execution import Handle
from ports.followers import Followers

__all__ = ("ListingFollowers",)


class ListingFollowers(Followers):
    def __init__(self) -> None:
        self.followed: list[tuple[Handle, int]] = []

    @override
    def follow(self, handle: Handle, after: int) -> None:
        self.followed.append((handle, after))
