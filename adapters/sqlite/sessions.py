"""Sessions, written only by whoever saw their newest version."""

from collections.abc import Sequence

from sqlalchemy import select, update

from adapters.sqlite.columns import from_json, from_text, members, to_json, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.standing import worked_in
from adapters.sqlite.statement import given, members_given, one_of, place
from adapters.sqlite.tables import SessionRow, TaskRow, table
from adapters.sqlite.unit import Unit
from domain.change import SessionAdded, SessionSettled
from domain.identity import ExecutionId, ProfileId, SessionId, TaskId, UserId
from domain.session import UNSETTLED, Session, SessionFailure, SessionState
from ports.store import ALL

__all__ = ("SessionReads", "SessionWrites")

_STATES = members(SessionState)
_SESSIONS = table(SessionRow)
_SESSION = _SESSIONS.c
_ONE = select(_SESSIONS).where(_SESSION.id == given("id"))
_OF_TASK = (
    select(_SESSIONS)
    .where(_SESSION.task_id == given("task"), _SESSION.id > given("after"))
    .order_by(_SESSION.id)
    .limit(given("limit"))
)
_IN_STATES = select(_SESSIONS).where(one_of(_SESSION.state, SessionState)).order_by(_SESSION.id)
_TASK = table(TaskRow).c
_OF_USER = (
    select(_SESSIONS)
    .where(_SESSION.task_id == _TASK.id, _TASK.workspace_id.in_(worked_in()))
    .order_by(_SESSION.id)
)
_ADD = place(SessionRow)
_SAVE = (
    update(_SESSIONS)
    .where(_SESSION.id == given("id"), _SESSION.version == given("seen"))
    .values({
        column: _SESSION.version + 1 if column is _SESSION.version else given(column.name)
        for column in _SESSION
        if column is not _SESSION.id
    })
)


class SessionReads(Unit):
    __slots__ = ()

    async def session(self, session: SessionId) -> Session | None:
        row = await self._on.one(_ONE, {"id": session})
        return None if row is None else _session(row)

    async def sessions(
        self, task: TaskId, after: str | None = None, limit: int = ALL
    ) -> Sequence[Session]:
        values = {"task": task, "after": after or "", "limit": limit}
        return [_session(row) for row in await self._on.rows(_OF_TASK, values)]

    async def sessions_of(self, user: UserId) -> Sequence[Session]:
        return [_session(row) for row in await self._on.rows(_OF_USER, {"user": user})]

    async def sessions_in(self, states: Sequence[SessionState]) -> Sequence[Session]:
        if not states:
            return ()
        rows = await self._on.rows(_IN_STATES, members_given(states, SessionState))
        return [_session(row) for row in rows]


class SessionWrites(SessionReads):
    __slots__ = ()

    async def add_session(self, session: Session) -> None:
        await self._run(_ADD, {**_columns(session), "version": session.version})
        self._note(SessionAdded(session.task))

    async def save_session(self, session: Session) -> bool:
        saved = await self._run(_SAVE, {**_columns(session), "seen": session.version}) == 1
        if saved and session.state not in UNSETTLED:
            self._note(SessionSettled(session.id))
        return saved


def _columns(session: Session) -> dict[str, object]:
    failure = session.failure
    return {
        "id": session.id,
        "task_id": session.task,
        "agent": session.agent,
        "state": session.state.value,
        "execution_id": session.execution,
        "acp_session": session.acp_session,
        "failure_code": None if failure is None else failure.code,
        "failure_detail": None if failure is None else failure.detail,
        "metadata": to_json(session.metadata),
        "created_at": to_text(session.created_at),
        "agent_profile_id": session.agent_profile,
        "executor_profile_id": session.executor_profile,
    }


def _session(row: Row) -> Session:
    key, task, agent, state, execution, acp, code, detail, metadata, created, version = row[:11]
    agent_profile, executor_profile = row[11:]
    return Session(
        SessionId(key),
        TaskId(task),
        agent,
        _STATES[state],
        None if execution is None else ExecutionId(execution),
        acp,
        None if code is None else SessionFailure(code, detail),
        from_json(metadata),
        from_text(created),
        version,
        None if agent_profile is None else ProfileId(agent_profile),
        None if executor_profile is None else ProfileId(executor_profile),
    )
