"""Who waits for the answer to an inquiry: wake-ups only, the answer itself is in the store."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from domain.identity import InquiryId

__all__ = ("Answers", "Wait")

Wait: TypeAlias = Callable[[float], Awaitable[None]]
"""Returns when the answer was given, or when so many seconds have gone by."""


class Answers(Protocol):
    def given(self, inquiry: InquiryId) -> bool:
        """Wake whoever waits; whether anybody did."""
        ...

    def expected(self, inquiry: InquiryId) -> AbstractContextManager[Wait]:
        """Somebody waits for the answer inside the block."""
        ...
