"""Permission requests: how many may be open, and who is told."""

import asyncio

import pytest

from adapters.agentctl.server.acp.permissions import Permissions
from domain.agent_bounds import AgentBounds
from domain.event import EventKind, Json
from domain.outcome import failed
from domain.permission import Option
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

OPTIONS = [Option("yes", "Yes", "allow_once")]


@requirement("agentctl:permission:brokered")
async def test_one_request_beyond_the_bound_is_cancelled_at_once() -> None:
    limit = AgentBounds().permissions
    recorded: list[tuple[EventKind, Json]] = []
    permissions = Permissions(
        lambda kind, body: recorded.append((kind, body)),
        lambda: None,
        automatic=False,
        limit=limit,
    )

    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(permissions.ask({}, OPTIONS)) for _ in range(limit)]
        await asyncio.sleep(0)
        beyond = await permissions.ask({}, OPTIONS)
        still_open = not any(task.done() for task in asked)
        permissions.cancel()

    assert limit == 100
    assert beyond is None
    assert still_open
    assert [task.result() for task in asked] == [None] * limit
    resolved = [body["id"] for kind, body in recorded if kind is EventKind.PERMISSION_RESOLVED]
    assert resolved == [f"p{limit + 1}", *(f"p{number + 1}" for number in range(limit))]


@requirement("agentctl:permission:brokered")
async def test_a_request_whose_agent_is_gone_cannot_be_answered() -> None:
    permissions = Permissions(lambda *_: None, lambda: None, automatic=False, limit=1)
    asking = asyncio.ensure_future(permissions.ask({}, OPTIONS))
    await asyncio.sleep(0)

    asking.cancel()
    await asyncio.wait({asking})

    assert failed(permissions.answer("p1", "yes"))
