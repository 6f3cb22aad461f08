"""Prompts that wait for the turns of their session."""

from collections.abc import Sequence

from sqlalchemy import select

from adapters.sqlite.columns import from_text, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given, remove
from adapters.sqlite.tables import QueuedPromptRow, table
from adapters.sqlite.unit import Unit
from domain.identity import QueuedId, SessionId, TurnId
from domain.prompt_queue import QueuedPrompt

__all__ = ("QueueReads", "QueueWrites")

_QUEUED = table(QueuedPromptRow).c
_OF_SESSION = (
    select(table(QueuedPromptRow))
    .where(_QUEUED.session_id == given("session"))
    .order_by(_QUEUED.position)
)
_REMOVE = remove(QueuedPromptRow)


class QueueReads(Unit):
    __slots__ = ()

    async def queue(self, session: SessionId) -> Sequence[QueuedPrompt]:
        return [_queued(row) for row in await self._on.rows(_OF_SESSION, {"session": session})]


class QueueWrites(QueueReads):
    __slots__ = ()

    async def put_queued(self, prompt: QueuedPrompt) -> None:
        values = {
            "id": prompt.id,
            "session_id": prompt.session,
            "position": prompt.position,
            "prompt": prompt.text,
            "queued_at": to_text(prompt.queued_at),
            "urgent": int(prompt.urgent),
            "turn_id": prompt.turn,
        }
        await self._put(QueuedPromptRow, values)

    async def remove_queued(self, prompt: QueuedId) -> None:
        await self._run(_REMOVE, {"id": prompt})


def _queued(row: Row) -> QueuedPrompt:
    key, session, position, text, queued, urgent, turn = row
    return QueuedPrompt(
        QueuedId(key),
        SessionId(session),
        position,
        text,
        from_text(queued),
        bool(urgent),
        None if turn is None else TurnId(turn),
    )
