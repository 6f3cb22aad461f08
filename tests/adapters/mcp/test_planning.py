"""The plan of a task: written once, rewritten, read by the family, deleted."""

import pytest

from domain.task_plan import MAX_PLAN_BYTES
from tests.adapters.mcp.conftest import Tools, agent_of, tools_for
from tests.adapters.mcp.test_family import part
from tests.pipelines.plane import Plane
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("mcp:plan")
async def test_a_plan_is_written_once_then_rewritten_and_deleted(tools: Tools) -> None:
    task = await tools.plane.ready_task()
    name = {"task_id": task.id}

    absent = [
        await tools.refused("get_task_plan", **name),
        await tools.refused("update_task_plan", **name, content="Look."),
        await tools.refused("delete_task_plan", **name),
    ]
    first = await tools.ok("create_task_plan", **name, content="Look.")
    again = await tools.refused("create_task_plan", **name, content="Look again.")
    second = await tools.ok("update_task_plan", **name, content="Mend.", title="The plan")
    third = await tools.ok("update_task_plan", **name, content="x" * MAX_PLAN_BYTES)
    blank = await tools.refused("update_task_plan", **name, content=" ")
    large = await tools.refused("update_task_plan", **name, content="é" * (MAX_PLAN_BYTES // 2 + 1))
    shown = await tools.ok("get_task_plan", **name)
    await tools.ok("delete_task_plan", **name)

    assert [each.split(":")[0] for each in absent] == ["plan_not_found"] * 3
    assert (first["title"], first["content"]) == (task.title, "Look.")
    assert again.startswith("plan_exists: ")
    assert (second["title"], second["content"]) == ("The plan", "Mend.")
    assert third["title"] == "The plan"
    assert [each.split(":")[0] for each in (blank, large)] == ["invalid_plan"] * 2
    assert shown == third
    assert (await tools.refused("get_task_plan", **name)).startswith("plan_not_found: ")


@requirement("mcp:plan")
async def test_an_agent_reads_the_plans_of_its_family_and_writes_its_own(plane: Plane) -> None:
    parent = await plane.ready_task()
    child, sibling = [await part(plane, parent) for _ in range(2)]
    session = (await plane.launched(child.id)).unwrap()
    stranger = await plane.task(
        parent.workspace, *[each.repository for each in parent.repositories]
    )

    async with tools_for(plane, agent_of(session)) as tools:
        await tools.ok("create_task_plan", task_id="self", content="Look.")
        for other in (parent, sibling):
            text = await tools.refused("create_task_plan", task_id=other.id, content="Theirs.")
            assert text.startswith("forbidden: ")
            assert (await tools.refused("get_task_plan", task_id=other.id)).startswith(
                "plan_not_found: "
            )
        foreign = await tools.refused("get_task_plan", task_id=stranger.id)
        assert foreign == await tools.refused("get_task_plan", task_id="unknown")
