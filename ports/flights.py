"""Work that several callers want at the same time and that is done once for all of them."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Protocol, TypeVar

__all__ = ("Flights",)

Value = TypeVar("Value")


class Flights(Protocol):
    async def join(
        self, key: Hashable, fly: Callable[[], Awaitable[Value]], *, for_callers: bool = False
    ) -> Value:
        """What `fly` gives, or gave to who asked for the same `key` meanwhile.

        It goes on under an owner of its own: a caller that gives up stops it for nobody. With
        `for_callers` it is given up when the last of them has. Once it is over, the next caller
        begins anew.
        """
        ...
