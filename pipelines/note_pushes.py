"""Note the pushes that an instance saw: each in the ledger, and counted next to the snapshot."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from domain import push, push_verdict
from domain.event import EventKind, SessionEvent
from domain.execution import Handle
from domain.push import Push, Unseen
from domain.push_verdict import PUSH_LIFE, Judged, Tally, entry, judge
from ports.store import Writer

__all__ = ("note_pushes",)


async def note_pushes(unit: Writer, handle: Handle, events: Sequence[SessionEvent]) -> None:
    """In the unit that stores the events, so that each is noted once."""
    for event in events:
        told = push.load(event.body) if event.kind is EventKind.PUSH else None
        if told is not None:
            await _note(unit, handle, told, event.at)


async def _note(unit: Writer, handle: Handle, told: Push | Unseen, at: datetime) -> None:
    task = await unit.task(handle.task)
    repository = await unit.repository(told.repository)
    if task is None or repository is None or repository.identity is None:
        return
    granted = await unit.unmatched_redemptions(handle, told.repository, at - PUSH_LIFE)
    judged = judge(told, at, granted)
    await unit.record([entry(told, judged, at, handle, task.workspace, repository.identity)])
    await _count(unit, handle, told, judged)


async def _count(unit: Writer, handle: Handle, told: Push | Unseen, judged: Judged) -> None:
    """In the metadata of the session, as long as it is in this execution."""
    session = await unit.session(handle.session)
    if session is None or session.execution != handle.execution:
        return
    before = push_verdict.load(session.metadata.get(push_verdict.KEY)) or Tally()
    tally = before.counting(judged.verdict, told).to_json()
    metadata = {**session.metadata, push_verdict.KEY: tally}
    await unit.save_session(replace(session, metadata=metadata))
