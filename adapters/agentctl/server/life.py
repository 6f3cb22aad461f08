"""What ends with an instance. It costs a list, where an exit stack costs some kilobytes."""

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

__all__ = ("Life",)


class Life:
    """A context manager; leaving it ends everything, what came last first."""

    __slots__ = ("_ends",)

    def __init__(self) -> None:
        self._ends: list[Callable[[], Awaitable[object]]] = []

    def ends_with(self, end: Callable[[], Awaitable[object]]) -> None:
        """Await `end` once, when it is over."""
        self._ends.append(end)

    async def close(self) -> None:
        """Each end is awaited, whatever another raises; the last error is raised. Idempotent."""
        if self._ends:
            end = self._ends.pop()
            try:
                await end()
            finally:
                await self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
