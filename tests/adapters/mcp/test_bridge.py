"""The server on stdio: what it passes on between its client and the control plane."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from mcp import Client
from mcp_types import PromptListChangedNotification, ResourceListChangedNotification

from adapters.mcp.bridge import forwarding
from domain.change import MAX_UNSEEN
from domain.identity import TaskId
from domain.saved_prompt import PromptText
from tests.adapters.mcp.conftest import Tools, tools_for
from tests.pipelines.plane import OWNER, Plane
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def bridged(plane: Plane) -> AsyncIterator[tuple[Tools, "asyncio.Queue[type]"]]:
    """An older client of the bridge, and what it is told."""
    told: asyncio.Queue[type] = asyncio.Queue()

    async def hear(message: object) -> None:
        told.put_nowait(type(message))

    async with tools_for(plane, OWNER) as direct:
        server = forwarding(direct.client, "1")
        async with Client(server, mode="legacy", message_handler=hear) as client:
            yield Tools(client, plane), told


async def until(told: "asyncio.Queue[type]", wanted: type) -> None:
    async with asyncio.timeout(60):
        while await told.get() is not wanted:
            pass


async def begun(tools: Tools, told: "asyncio.Queue[type]") -> None:
    """The bridge follows the control plane once it tells of a change: changes until it does."""
    task = await tools.plane.ready_task()
    while told.empty():
        await tools.ok("create_task_plan", task_id=task.id, content="Look.")
        await tools.ok("delete_task_plan", task_id=task.id)


@requirement("mcp:stdio")
async def test_an_older_client_of_the_bridge_hears_of_every_list(plane: Plane) -> None:
    async with bridged(plane) as (tools, told):
        await begun(tools, told)
        workspace = await plane.workspace()

        await plane.api.saved_prompts.create(OWNER, workspace, PromptText("mend", "Mend."))

        await until(told, PromptListChangedNotification)


@requirement("mcp:stdio")
async def test_an_older_client_of_the_bridge_is_told_again_when_it_fell_behind(
    plane: Plane,
) -> None:
    async with bridged(plane) as (tools, told):
        await begun(tools, told)
        task = await plane.ready_task()
        async with plane.store.write() as unit:
            for number in range(MAX_UNSEEN + 1):
                await unit.put_task(replace(task, id=TaskId(f"task_{number}")))
        while not told.empty():
            told.get_nowait()

        await begun(tools, told)

        await until(told, ResourceListChangedNotification)
