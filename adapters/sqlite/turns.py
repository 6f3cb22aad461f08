"""Turns of sessions; at most one of a session runs, which the schema holds."""

from collections.abc import Sequence

from sqlalchemy import func, literal_column, select

from adapters.sqlite.columns import (
    from_json,
    from_text,
    maybe_from_text,
    maybe_to_text,
    to_json,
    to_text,
)
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given
from adapters.sqlite.tables import TurnRow, table
from adapters.sqlite.unit import Unit
from domain.failure_reason import FailureReason
from domain.identity import ExecutionId, SessionId, TurnId
from domain.turn import Turn, TurnState
from domain.turn_evidence import UNKNOWN, Evidence, Unknown, load
from domain.turn_evidence import to_json as to_list
from ports.store import ALL

__all__ = ("TurnReads", "TurnWrites")

_TURN = table(TurnRow).c
_ONE = select(table(TurnRow)).where(_TURN.id == given("id"))
_OF_SESSION = select(table(TurnRow)).where(_TURN.session_id == given("session"))
_SEEN = table(TurnRow).alias()
_SEEN_GENERATION = (
    select(_SEEN.c.generation)
    .where(_SEEN.c.id == given("after"), _SEEN.c.session_id == given("session"))
    .scalar_subquery()
)
_IN_ORDER = (
    _OF_SESSION
    .where(_TURN.generation > func.coalesce(_SEEN_GENERATION, literal_column("0")))
    .order_by(_TURN.generation)
    .limit(given("limit"))
)
_LAST = _OF_SESSION.order_by(_TURN.generation.desc()).limit(1)
_RUNNING = _OF_SESSION.where(_TURN.state == TurnState.RUNNING.value)


class TurnReads(Unit):
    __slots__ = ()

    async def turn(self, turn: TurnId) -> Turn | None:
        row = await self._on.one(_ONE, {"id": turn})
        return None if row is None else _turn(row)

    async def turns(
        self, session: SessionId, after: TurnId | None = None, limit: int = ALL
    ) -> Sequence[Turn]:
        values = {"session": session, "after": after or "", "limit": limit}
        return [_turn(row) for row in await self._on.rows(_IN_ORDER, values)]

    async def last_turn(self, session: SessionId) -> Turn | None:
        row = await self._on.one(_LAST, {"session": session})
        return None if row is None else _turn(row)

    async def running_turn(self, session: SessionId) -> Turn | None:
        row = await self._on.one(_RUNNING, {"session": session})
        return None if row is None else _turn(row)


class TurnWrites(TurnReads):
    __slots__ = ()

    async def put_turn(self, turn: Turn) -> None:
        values = {
            "id": turn.id,
            "session_id": turn.session,
            "execution_id": turn.execution,
            "generation": turn.generation,
            "prompt": turn.prompt,
            "state": turn.state.value,
            "started_at": to_text(turn.started_at),
            "ended_at": maybe_to_text(turn.ended_at),
            "stop_reason": turn.stop_reason,
            "error": turn.error,
            "reason": None if turn.reason is None else turn.reason.value,
            "evidence": _evidence_text(turn.evidence),
        }
        await self._put(TurnRow, values)


def _evidence_text(evidence: Evidence | Unknown) -> str | None:
    if evidence is UNKNOWN:
        return None
    return to_json({"repositories": to_list(evidence)})


def _turn(row: Row) -> Turn:
    (
        key,
        session,
        execution,
        generation,
        prompt,
        state,
        started,
        ended,
        stop_reason,
        error,
        reason,
        evidence,
    ) = row
    return Turn(
        TurnId(key),
        SessionId(session),
        ExecutionId(execution),
        generation,
        prompt,
        TurnState(state),
        from_text(started),
        maybe_from_text(ended),
        stop_reason,
        error,
        None if reason is None else FailureReason(reason),
        UNKNOWN if evidence is None else load(from_json(evidence).get("repositories")),
    )
