"""What an agent may do for its task: a family of tasks, through a client of the protocol."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest

from domain.identity import WorkspaceId
from domain.session import Session
from domain.task import Task
from domain.tool_bounds import MAX_TITLE
from pipelines.create_task import CreateTaskRequest
from tests.adapters.mcp.conftest import Tools, agent_of, tools_for
from tests.pipelines.plane import OWNER, Plane
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

WORK = {"title": "Mend it", "prompt": "Mend the door."}


@dataclass
class Family:
    """`own` is the task of the agent that `tools` serve, which has a session at work."""

    plane: Plane
    workspace: WorkspaceId
    parent: Task
    own: Task
    sibling: Task
    child: Task
    stranger: Task
    session: Session
    tools: Tools

    async def session_of(self, task: Task) -> Session:
        return (await self.plane.launched(task.id)).unwrap()


@pytest.fixture
async def family(plane: Plane) -> AsyncIterator[Family]:
    """A child of the agent's own task is made by hand: tasks have one level of parts."""
    parent = await plane.ready_task()
    own, sibling = [await part(plane, parent) for _ in range(2)]
    stranger = await plane.task(
        parent.workspace, *[each.repository for each in parent.repositories]
    )
    session = (await plane.launched(own.id)).unwrap()
    async with AsyncExitStack() as stack:
        tools = await stack.enter_async_context(tools_for(plane, agent_of(session)))
        child = sibling
        yield Family(plane, parent.workspace, parent, own, sibling, child, stranger, session, tools)


async def part(plane: Plane, of: Task) -> Task:
    request = CreateTaskRequest(of.workspace, "A part", "Do your part.", (), of.id)
    return (await plane.api.create_task(OWNER, request)).unwrap().task


@requirement("mcp:family")
async def test_an_agent_sees_its_family_and_no_other_task(family: Family) -> None:
    tools = family.tools
    listed = await tools.ok("list_tasks", workspace_id=family.workspace)
    related = await tools.ok("list_related_tasks", task_id="self")

    assert {each["id"] for each in listed["tasks"]} == {
        family.parent.id,
        family.own.id,
        family.sibling.id,
    }
    assert related["parent"]["id"] == family.parent.id
    assert [each["id"] for each in related["siblings"]] == [family.sibling.id]
    for name in ("get_task", "list_sessions", "list_related_tasks"):
        foreign = await tools.refused(name, task_id=family.stranger.id)
        assert foreign == await tools.refused(name, task_id="unknown")


@requirement("mcp:family")
async def test_an_agent_controls_the_children_of_its_task_alone(plane: Plane) -> None:
    parent = await plane.ready_task()
    child = await part(plane, parent)
    theirs = (await plane.launched(child.id)).unwrap()
    session = (await plane.launched(parent.id)).unwrap()
    pair = {"task_id": child.id, "session_id": theirs.id}

    async with tools_for(plane, agent_of(session)) as above:
        assert (await above.ok("message_task", task_id=child.id, prompt="Go on."))["status"] == (
            "started"
        )
        async with tools_for(plane, agent_of(theirs)) as below:
            for name, arguments in {
                "stop_session": {"task_id": parent.id, "session_id": session.id},
                "spawn_session": {"task_id": parent.id, "agent": "demo"},
                "archive_task": {"task_id": "self"},
                "update_task": {"task_id": parent.id, "title": "Mine"},
                "message_task": {"task_id": "self", "prompt": "Go on."},
            }.items():
                assert (await below.refused(name, **arguments)).startswith("forbidden: ")
            assert (await below.ok("message_task", task_id=parent.id, prompt="Done."))[
                "status"
            ] == "started"
        assert (await above.ok("stop_session", **pair))["state"] == "stopping"
        archived = await above.ok("archive_task", task_id=child.id)

    assert archived["state"] == "archived"
    assert [each.task for each in plane.runtime.stopped][:1] == [child.id]


@requirement("mcp:family")
async def test_an_agent_creates_parts_of_its_own_task_alone(plane: Plane) -> None:
    session = await plane.running()
    async with tools_for(plane, agent_of(session)) as tools:
        made = await tools.ok("create_task", **WORK, parent_id="self")
        task = await tools.ok("get_task", task_id="self")
        alone = await tools.refused("create_task", **WORK)
        deep = await tools.refused("create_task", **WORK, parent_id=made["id"])
        begun = await tools.ok("spawn_session", task_id=made["id"], agent="demo")

    assert (made["parent_id"], made["repositories"]) == (session.task, task["repositories"])
    assert alone.startswith("workspace_not_found: ")
    assert deep.startswith("task_not_found: ")
    assert begun["status"] == "started"


@requirement("mcp:external-id")
async def test_a_repeated_external_id_gives_the_task_that_has_it(tools: Tools) -> None:
    await tools.plane.ready_task()

    first = await tools.ok("create_task", **WORK, external_id=" GH-1 ")
    again = await tools.ok("create_task", title="Other", prompt="Other.", external_id="GH-1")
    other = await tools.ok("create_task", **WORK, external_id="gh-1")
    refused = [
        await tools.refused("create_task", **WORK, external_id=each)
        for each in ("a\n", "\N{ROCKET}" * 64, " ")
    ]

    assert (again, first["external_id"]) == ({**first, "deduplicated": True}, "GH-1")
    assert not first["deduplicated"]
    assert other["id"] != first["id"]
    assert [each.split(":")[0] for each in refused] == ["invalid_external_id"] * 3
    longest = await tools.ok("create_task", **WORK, external_id="x" * 255)
    assert longest["external_id"] == "x" * 255


@requirement("mcp:external-id")
async def test_the_external_id_of_a_task_that_an_agent_does_not_see_tells_it_nothing(
    plane: Plane,
) -> None:
    session = await plane.running()
    async with tools_for(plane, OWNER) as tools:
        theirs = await tools.ok("create_task", **WORK, external_id="GH-1")
    async with tools_for(plane, agent_of(session)) as tools:
        text = await tools.refused("create_task", **WORK, parent_id="self", external_id="GH-1")

    assert text.startswith("task_not_found: ")
    assert theirs["id"] not in text


@requirement("mcp:family")
async def test_a_part_of_a_part_is_refused(tools: Tools) -> None:
    parent = await tools.plane.ready_task()
    child = await tools.ok("create_task", **WORK, parent_id=parent.id)

    assert (await tools.refused("create_task", **WORK, parent_id=child["id"])).startswith(
        "too_deep: "
    )


@requirement("mcp:update")
async def test_a_task_is_changed_in_what_was_named(tools: Tools) -> None:
    task = await tools.plane.ready_task()

    changed = await tools.ok("update_task", task_id=task.id, title="x" * MAX_TITLE)
    again = await tools.ok("update_task", task_id=task.id, prompt="Do it otherwise.")
    blank = await tools.refused("update_task", task_id=task.id, title=" ", prompt="Lost.")

    assert (changed["title"], changed["prompt"]) == ("x" * MAX_TITLE, task.prompt)
    assert (again["title"], again["prompt"]) == ("x" * MAX_TITLE, "Do it otherwise.")
    assert blank.startswith("invalid_name: ")
    assert await tools.ok("get_task", task_id=task.id) == {**again, "report": None}
