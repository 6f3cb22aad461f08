"""The tools by which a client answers for its user what agents ask permission for."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from adapters.mcp.answers import Answer
from adapters.mcp.arguments import TaskSession
from adapters.mcp.backend import Backend
from adapters.mcp.problems import ToolProblem
from adapters.mcp.reading import session_of
from domain.event import SessionEvent
from domain.open_permissions import open_requests
from domain.outcome import Result, Success, failed
from domain.principal import Principal

__all__ = ("OptionChoice", "PendingPermission", "PendingPermissions", "pending_permissions")

BATCH: Final = 500
"""Events read from the store at once."""


class OptionChoice(Answer):
    option_id: str
    name: str
    kind: str


class PendingPermission(Answer):
    """`title` is what the agent calls what it is about to do."""

    request_id: str
    title: str
    options: list[OptionChoice]

    @classmethod
    def of(cls, event: SessionEvent) -> "PendingPermission":
        body: Mapping[str, Any] = event.body  # as the agent's own words were stored
        return cls(
            request_id=str(body["id"]),
            title=str(body["tool_call"].get("title") or ""),
            options=[
                OptionChoice(option_id=each["id"], name=each["name"], kind=each["kind"])
                for each in body["options"]
            ],
        )


class PendingPermissions(Answer):
    pending: list[PendingPermission]


async def pending_permissions(
    backend: Backend, principal: Principal, asked: TaskSession
) -> Result[PendingPermissions, ToolProblem]:
    waiting: Sequence[SessionEvent] = ()
    async with backend.store.read() as state:
        found = await session_of(state, principal, asked.task_id, asked.session_id)
        if failed(found):
            return found
        after = 0
        while page := await state.events(found.unwrap().id, after, BATCH):
            waiting = open_requests([*waiting, *page])
            after = page[-1].sequence
    return Success(PendingPermissions(pending=[PendingPermission.of(each) for each in waiting]))
