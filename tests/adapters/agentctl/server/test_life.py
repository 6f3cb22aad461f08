"""What ends with an instance is ended, each once and the last first, whatever fails."""

from collections.abc import Awaitable, Callable

import pytest

from adapters.agentctl.server.life import Life

pytestmark = pytest.mark.anyio


class Ends:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def named(self, name: str, problem: Exception | None = None) -> Callable[[], Awaitable[None]]:
        async def end() -> None:
            self.seen.append(name)
            if problem is not None:
                raise problem

        return end


async def test_what_came_last_ends_first() -> None:
    ends = Ends()

    async with Life() as life:
        life.ends_with(ends.named("first"))
        life.ends_with(ends.named("second"))
        before = list(ends.seen)

    assert (before, ends.seen) == ([], ["second", "first"])


async def test_an_end_that_fails_keeps_no_other_from_its_end() -> None:
    ends, life = Ends(), Life()
    life.ends_with(ends.named("first"))
    life.ends_with(ends.named("second", OSError("no end")))
    life.ends_with(ends.named("third"))

    with pytest.raises(OSError, match="no end"):
        await life.close()

    assert ends.seen == ["third", "second", "first"]


async def test_nothing_ends_twice() -> None:
    ends = Ends()

    async with Life() as life:
        life.ends_with(ends.named("only"))
        await life.close()

    assert ends.seen == ["only"]
