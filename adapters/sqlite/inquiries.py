"""What agents ask their users, and the answers."""

import json
from collections.abc import Sequence

from sqlalchemy import select

from adapters.sqlite.columns import from_text, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.statement import given
from adapters.sqlite.tables import TaskRow, table
from adapters.sqlite.unit import Unit
from adapters.sqlite.word_tables import InquiryRow
from domain.identity import InquiryId, SessionId, TaskId, WorkspaceId
from domain.inquiry import Choice, Inquiry, Question, Reply, Resolution

__all__ = ("InquiryReads", "InquiryWrites")

_INQUIRIES = table(InquiryRow)
_TASKS = table(TaskRow)
_ONE = select(_INQUIRIES).where(_INQUIRIES.c.id == given("id"))
_OPEN = (
    select(_INQUIRIES)
    .join(_TASKS, _TASKS.c.id == _INQUIRIES.c.task_id)
    .where(
        _TASKS.c.workspace_id == given("workspace"),
        _INQUIRIES.c.resolution.is_(None),
        _INQUIRIES.c.id > given("after"),
    )
    .order_by(_INQUIRIES.c.id)
    .limit(given("limit"))
)


class InquiryReads(Unit):
    __slots__ = ()

    async def inquiry(self, inquiry: InquiryId) -> Inquiry | None:
        row = await self._on.one(_ONE, {"id": inquiry})
        return None if row is None else _inquiry(row)

    async def open_inquiries(
        self, workspace: WorkspaceId, after: str | None, limit: int
    ) -> Sequence[Inquiry]:
        values = {"workspace": workspace, "after": after or "", "limit": limit}
        return [_inquiry(row) for row in await self._on.rows(_OPEN, values)]


class InquiryWrites(InquiryReads):
    __slots__ = ()

    async def put_inquiry(self, inquiry: Inquiry) -> None:
        questions = [
            [each.id, each.prompt, [[option.label, option.description] for option in each.options]]
            for each in inquiry.questions
        ]
        values = {
            "id": inquiry.id,
            "task_id": inquiry.task,
            "session_id": inquiry.session,
            "context": inquiry.context,
            "questions": json.dumps(questions),
            "asked_at": to_text(inquiry.asked_at),
            "resolution": _written(inquiry.resolution),
        }
        await self._put(InquiryRow, values)


def _inquiry(row: Row) -> Inquiry:
    key, task, session, context, questions, asked, resolution = row
    return Inquiry(
        InquiryId(key),
        TaskId(task),
        SessionId(session),
        context,
        tuple(
            Question(name, prompt, tuple(Choice(*option) for option in options))
            for name, prompt, options in json.loads(questions)
        ),
        from_text(asked),
        None if resolution is None else _read(resolution),
    )


def _written(resolution: Resolution | None) -> str | None:
    if resolution is None:
        return None
    replies = [[each.question, each.selected, each.text] for each in resolution.replies]
    return json.dumps([replies, resolution.rejection, to_text(resolution.at)])


def _read(text: str) -> Resolution:
    replies, rejection, at = json.loads(text)
    given_replies = tuple(Reply(name, tuple(selected), words) for name, selected, words in replies)
    return Resolution(given_replies, rejection, from_text(at))
