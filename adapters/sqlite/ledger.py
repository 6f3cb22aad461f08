"""The ledger of leases: entries are added and pruned, and never changed."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import Select, delete, exists, false, insert, or_, select

from adapters.sqlite.columns import from_text, members, to_text
from adapters.sqlite.connection import Row
from adapters.sqlite.standing import worked_in
from adapters.sqlite.statement import given
from adapters.sqlite.tables import LedgerRow, WorkspaceRow, table
from adapters.sqlite.unit import Unit
from domain.execution import Handle
from domain.identity import ExecutionId, RepositoryId, SessionId, TaskId, WorkspaceId
from domain.ledger import GRANTED, LedgerEntry, LedgerQuery, Operation, record_of
from domain.peer import Descent, Peer
from domain.repository import RepositoryIdentity

__all__ = ("LedgerReads", "LedgerWrites")

_OPERATIONS = members(Operation)
_DESCENTS = members(Descent)
_ENTRIES = table(LedgerRow)
_ENTRY = _ENTRIES.c
_ADD = insert(_ENTRIES).values({
    each: given(each.name) for each in _ENTRY if each is not _ENTRY.sequence
})
_PRUNE = delete(_ENTRIES).where(_ENTRY.at < given("before"))


_WORKSPACE = table(WorkspaceRow).c
_THEIRS = _ENTRY.workspace_id.in_(worked_in())
_OWNERLESS = ~exists().where(_WORKSPACE.id == _ENTRY.workspace_id)


@cache
def _page(
    *columns: str, theirs: bool, ownerless: bool, within: int | None
) -> Select[*tuple[object, ...]]:
    """A page of what has the given value in each of the columns, and may be seen."""
    page = (
        select(_ENTRIES)
        .where(_ENTRY.sequence > given("after"), *(_ENTRY[name] == given(name) for name in columns))
        .order_by(_ENTRY.sequence)
        .limit(given("limit"))
    )
    if theirs:
        page = page.where(or_(_THEIRS, _OWNERLESS) if ownerless else _THEIRS)
    if within is not None:
        places = (_ENTRY.workspace_id == given(f"within_{number}") for number in range(within))
        page = page.where(or_(false(), *places))
    return page


_PUSHES = _ENTRIES.alias("pushes").c
_UNMATCHED = (
    select(_ENTRIES)
    .where(
        _ENTRY.session_id == given("session"),
        _ENTRY.execution_id == given("execution"),
        _ENTRY.repository_id == given("repository"),
        _ENTRY.operation == Operation.REDEEM.value,
        _ENTRY.result == GRANTED,
        _ENTRY.at >= given("since"),
        _ENTRY.sequence.not_in(
            select(_PUSHES.redemption).where(
                _PUSHES.session_id == given("session"), _PUSHES.redemption.is_not(None)
            )
        ),
    )
    .order_by(_ENTRY.sequence)
)


class LedgerReads(Unit):
    __slots__ = ()

    async def unmatched_redemptions(
        self, handle: Handle, repository: RepositoryId, since: datetime
    ) -> Sequence[LedgerEntry]:
        values = {
            "session": handle.session,
            "execution": handle.execution,
            "repository": repository,
            "since": to_text(since),
        }
        return [_entry(row) for row in await self._on.rows(_UNMATCHED, values)]

    async def ledger(self, query: LedgerQuery) -> Sequence[LedgerEntry]:
        by = {
            "workspace_id": query.workspace,
            "task_id": query.task,
            "session_id": query.session,
            "repository_id": query.repository,
            "host": query.host,
            "operation": query.operation.value if query.operation else None,
            "result": query.result,
        }
        named = {column: value for column, value in by.items() if value is not None}
        within = query.within
        page = _page(
            *named,
            theirs=query.user is not None,
            ownerless=query.ownerless,
            within=None if within is None else len(within),
        )
        values = {
            **named,
            **{f"within_{number}": each for number, each in enumerate(within or ())},
            "user": query.user,
            "after": query.after,
            "limit": query.limit,
        }
        return [_entry(row) for row in await self._on.rows(page, values)]


class LedgerWrites(LedgerReads):
    __slots__ = ()

    async def record(self, entries: Sequence[LedgerEntry]) -> None:
        if entries:
            await self._run_many(_ADD, [_columns(each) for each in entries])

    async def prune_ledger(self, before: datetime) -> int:
        return await self._run(_PRUNE, {"before": to_text(before)})


def _columns(entry: LedgerEntry) -> dict[str, object]:
    """The entry without its number, which the table gives; times are as in every table."""
    columns: dict[str, object] = {**record_of(entry), "at": to_text(entry.at)}
    del columns["sequence"]
    return columns


def _entry(row: Row) -> LedgerEntry:
    sequence, at, operation, result, detail, workspace, task, session, execution = row[:9]
    repository, host, path, actor, pid, descent, redemption = row[9:]
    return LedgerEntry(
        from_text(at),
        _OPERATIONS[operation],
        result,
        None if workspace is None else WorkspaceId(workspace),
        None if task is None else TaskId(task),
        None if session is None else SessionId(session),
        ExecutionId(execution),
        None if repository is None else RepositoryId(repository),
        RepositoryIdentity(host, path),
        actor,
        detail,
        None if pid is None else Peer(pid, _DESCENTS[descent]),
        redemption,
        sequence,
    )
