"""Permission requests of an agent, from the asking to the one answer that each gets."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from domain import permission
from domain.event import EventKind, Json
from domain.outcome import Failure, Result, Success
from domain.permission import Option
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Permissions",)

_REMEMBERED: Final = 256
"""Answered requests that are still known by name, so that a late answer is told why."""


class _Open(NamedTuple):
    options: tuple[Option, ...]
    answer: "asyncio.Future[str | None]"


class Permissions:
    """One instance's requests. `record` appends an event, `flush` hands out what was appended.

    Ids count from 1 within the instance.
    """

    __slots__ = (
        "_answered",
        "_automatic",
        "_count",
        "_flush",
        "_limit",
        "_open",
        "_record",
    )

    def __init__(
        self,
        record: Callable[[EventKind, Json], None],
        flush: Callable[[], None],
        *,
        automatic: bool,
        limit: int,
    ) -> None:
        self._record = record
        self._flush = flush
        self._automatic = automatic
        self._limit = limit
        self._open: dict[str, _Open] = {}
        self._answered: list[str] = []
        self._count = 0

    async def ask(self, tool_call: Json, options: Sequence[Option]) -> str | None:
        """The id of the option chosen, or None when the request was cancelled."""
        self._count += 1
        request = f"p{self._count}"
        body: Json = {
            "id": request,
            "tool_call": tool_call,
            "options": [option._asdict() for option in options],
        }
        self._record(EventKind.PERMISSION_REQUEST, body)
        if self._automatic:
            chosen = permission.approve(options)
            return self._resolved(request, chosen, "automatic" if chosen else "cancelled")
        if len(self._open) >= self._limit:
            return self._resolved(request, None, "cancelled")
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._open[request] = _Open(tuple(options), answer)
        self._flush()
        try:
            return await answer
        finally:
            self._open.pop(request, None)

    def answer(self, request: str, chosen: str | None) -> Result[None, RuntimeProblem]:
        """Answer an open request, once."""
        waiting = self._open.get(request)
        if waiting is None:
            detail = "it was answered already" if request in self._answered else "nobody asked it"
            return Failure(RuntimeProblem(RuntimeCode.NO_PERMISSION, detail))
        if chosen is not None and not permission.offers(waiting.options, chosen):
            return Failure(RuntimeProblem(RuntimeCode.INVALID, "the agent offered no such option"))
        self._settle(request, chosen, "user" if chosen else "cancelled")
        return Success(None)

    def cancel(self) -> None:
        """Cancel every open request: its turn is over, or another one begins."""
        for request in list(self._open):
            self._settle(request, None, "cancelled")

    def _settle(self, request: str, chosen: str | None, by: str) -> None:
        waiting = self._open.pop(request)
        self._resolved(request, chosen, by)
        if not waiting.answer.done():
            waiting.answer.set_result(chosen)

    def _resolved(self, request: str, chosen: str | None, by: str) -> str | None:
        self._answered.append(request)
        del self._answered[:-_REMEMBERED]
        self._record(EventKind.PERMISSION_RESOLVED, {"id": request, "option": chosen, "by": by})
        self._flush()
        return chosen
