"""Events of sessions: each stored once, numbered without a gap in the order they arrived."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.sql.functions import max as highest

from adapters.sqlite.columns import from_json, from_text, members, to_json, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.executions import ExecutionReads, ExecutionWrites
from adapters.sqlite.statement import given, place
from adapters.sqlite.tables import SessionEventRow, table
from domain.change import ConversationGrew
from domain.event import EventKind, ExecutionEvent, SessionEvent
from domain.identity import ExecutionId, SessionId

__all__ = ("EventReads", "EventWrites")

_KINDS = members(EventKind)
_EVENTS = table(SessionEventRow)
_EVENT = _EVENTS.c
_PAGE = (
    select(_EVENTS)
    .where(_EVENT.session_id == given("session"), _EVENT.sequence > given("after"))
    .order_by(_EVENT.sequence)
    .limit(given("limit"))
)
_LAST = select(highest(_EVENT.sequence)).where(_EVENT.session_id == given("session"))
_STORED = select(_EVENT.execution_sequence).where(
    _EVENT.execution_id == given("execution"), _EVENT.execution_sequence > given("after")
)
_ADD = place(SessionEventRow)


class EventReads(ExecutionReads):
    __slots__ = ()

    async def events(self, session: SessionId, after: int, limit: int) -> Sequence[SessionEvent]:
        values = {"session": session, "after": after, "limit": limit}
        return [_event(row) for row in await self._on.rows(_PAGE, values)]


class EventWrites(EventReads, ExecutionWrites):
    __slots__ = ()

    async def append_events(
        self, session: SessionId, execution: ExecutionId, events: Sequence[ExecutionEvent]
    ) -> Sequence[SessionEvent]:
        owner = await self.execution(execution)
        if owner is None or owner.session != session:
            raise ValueError("the execution is not one of the session's")
        rows = await self._on.rows(_STORED, {"execution": execution, "after": owner.acknowledged})
        beyond = {row[0] for row in rows}
        fresh: dict[int, ExecutionEvent] = {}
        for event in events:
            if event.sequence > owner.acknowledged and event.sequence not in beyond:
                fresh.setdefault(event.sequence, event)
        if not fresh:
            return ()
        last = await self._on.one(_LAST, {"session": session})
        first = 1 + ((last[0] if last else None) or 0)
        added = [
            SessionEvent(
                session,
                sequence,
                execution,
                event.sequence,
                event.at,
                event.kind,
                event.generation,
                event.body,
            )
            for sequence, event in enumerate(fresh.values(), first)
        ]
        await self._run_many(_ADD, [_columns(event) for event in added])
        self._note(ConversationGrew(session))
        through = owner.acknowledged
        while through + 1 in fresh or through + 1 in beyond:
            through += 1
        await self._advance(execution, through)
        return added


def _columns(event: SessionEvent) -> dict[str, object]:
    return {
        "session_id": event.session,
        "sequence": event.sequence,
        "execution_id": event.execution,
        "execution_sequence": event.execution_sequence,
        "at": to_text(event.at),
        "kind": event.kind.value,
        "generation": event.generation,
        "body": to_json(event.body),
    }


def _event(row: Row) -> SessionEvent:
    session, sequence, execution, number, at, kind, generation, body = row
    return SessionEvent(
        SessionId(session),
        sequence,
        ExecutionId(execution),
        number,
        from_text(at),
        _KINDS[kind],
        generation,
        from_json(body),
    )
