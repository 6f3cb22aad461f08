"""What agents said when they had done what their tasks ask: the last report of each task."""

from sqlalchemy import select

from adapters.sqlite.columns import from_text, to_text
from adapters.sqlite.statement import given
from adapters.sqlite.tables import table
from adapters.sqlite.unit import Unit
from adapters.sqlite.word_tables import StepReportRow
from domain.identity import SessionId, TaskId
from domain.step_report import StepReport, StepWords

__all__ = ("ReportReads", "ReportWrites")

_REPORTS = table(StepReportRow)
_ONE = select(_REPORTS).where(_REPORTS.c.task_id == given("task"))


class ReportReads(Unit):
    __slots__ = ()

    async def report(self, task: TaskId) -> StepReport | None:
        row = await self._on.one(_ONE, {"task": task})
        if row is None:
            return None
        key, session, summary, handoff, blockers, at = row
        words = StepWords(summary, handoff, blockers)
        return StepReport(TaskId(key), SessionId(session), words, from_text(at))


class ReportWrites(ReportReads):
    __slots__ = ()

    async def put_report(self, report: StepReport) -> None:
        values = {
            "task_id": report.task,
            "session_id": report.session,
            "summary": report.words.summary,
            "handoff": report.words.handoff,
            "blockers": report.words.blockers,
            "at": to_text(report.at),
        }
        await self._put(StepReportRow, values)
