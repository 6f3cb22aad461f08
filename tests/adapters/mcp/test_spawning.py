"""Starting an agent with a profile, or as the task had it last, through a client."""

import asyncio

import pytest

from domain.execution import ExecutorType
from domain.identity import WorkspaceId
from domain.profile import AgentChoice, ExecutorChoice, Profile, ProfileChoice, WantedProfile
from domain.secret import Secret
from domain.stored_environment import ChosenEnvironment
from pipelines.create_task import CreateTaskRequest
from pipelines.session_profiles import Named
from tests.adapters.mcp.conftest import Tools, agent_of, tools_for
from tests.pipelines.plane import OWNER, Plane
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def profile(
    plane: Plane, workspace: WorkspaceId, name: str, choice: ProfileChoice
) -> Profile:
    environment = ChosenEnvironment({"PLAIN": "seen"}, {"TOKEN": Secret("kept-out-of-sight")})
    wanted = WantedProfile(name, choice, environment)
    return (await plane.api.profiles.create(OWNER, workspace, wanted)).unwrap()


@requirement("mcp:profiles")
async def test_an_agent_is_started_with_the_profiles_that_are_named(tools: Tools) -> None:
    plane = tools.plane
    task = await plane.ready_task()
    fast = await profile(plane, task.workspace, "Fast", AgentChoice("demo", "large"))
    here = await profile(plane, task.workspace, "Here", ExecutorChoice(ExecutorType.LOCAL))
    where = {"workspace_id": task.workspace}

    agents = await tools.ok("list_agent_profiles", **where)
    executors = await tools.ok("list_executor_profiles", **where)
    begun = await tools.ok(
        "spawn_session",
        task_id=task.id,
        agent_profile_id=fast.id,
        executor_profile_id=here.id,
    )

    session = await plane.session(begun["session_id"])
    assert agents == {
        "agent_profiles": [{"id": fast.id, "name": "Fast", "agent": "demo", "model": "large"}],
        "next_after": None,
    }
    assert executors == {
        "executor_profiles": [
            {"id": here.id, "name": "Here", "executor": ExecutorType.LOCAL.value}
        ],
        "next_after": None,
    }
    assert (session.agent, session.agent_profile, session.executor_profile) == (
        "demo",
        fast.id,
        here.id,
    )


@requirement("mcp:profiles")
async def test_a_profile_of_another_agent_starts_nothing(tools: Tools) -> None:
    task = await tools.plane.ready_task()
    fast = await profile(tools.plane, task.workspace, "Fast", AgentChoice("demo"))

    text = await tools.refused(
        "spawn_session", task_id=task.id, agent="claude", agent_profile_id=fast.id
    )

    assert text == "other_agent: Fast: demo"
    assert (await tools.ok("list_sessions", task_id=task.id))["sessions"] == []


@requirement("mcp:profiles")
async def test_profiles_come_in_pages_and_of_a_workspace_that_is_seen(plane: Plane) -> None:
    session = await plane.running()
    async with plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    other = await plane.workspace()
    made = [
        await profile(plane, task.workspace, name, AgentChoice("demo")) for name in ("A", "B", "C")
    ]
    foreign = await profile(plane, other, "D", AgentChoice("demo"))

    async with tools_for(plane, agent_of(session)) as tools:
        where = {"workspace_id": task.workspace, "limit": 2}
        first = await tools.ok("list_agent_profiles", **where)
        rest = await tools.ok("list_agent_profiles", **where, after=first["next_after"])
        hidden = await tools.refused("list_agent_profiles", workspace_id=other)
        assert hidden == await tools.refused("list_agent_profiles", workspace_id="unknown")
        child = await tools.ok("create_task", title="A part", prompt="Do.", parent_id="self")
        elsewhere = await tools.refused(
            "spawn_session", task_id=child["id"], agent_profile_id=foreign.id
        )
        unknown = await tools.refused(
            "spawn_session", task_id=child["id"], agent_profile_id="unknown"
        )

    assert [each["id"] for each in first["agent_profiles"] + rest["agent_profiles"]] == [
        each.id for each in made
    ]
    assert rest["next_after"] is None
    assert elsewhere == unknown
    assert elsewhere.startswith("agent_profile_not_found: ")


@requirement("mcp:profiles")
async def test_without_a_name_the_agent_is_the_one_that_the_task_had_last(tools: Tools) -> None:
    plane = tools.plane
    task = await plane.ready_task()
    fast = await profile(plane, task.workspace, "Fast", AgentChoice("demo"))
    here = await profile(plane, task.workspace, "Here", ExecutorChoice(ExecutorType.LOCAL))

    none = await tools.refused("spawn_session", task_id=task.id)
    first = (await plane.launched(task.id, profiles=Named(fast.id, here.id))).unwrap()
    await plane.stopped(first)
    begun = await tools.ok("spawn_session", task_id=task.id)

    session = await plane.session(begun["session_id"])
    assert none.startswith("agent_needed: ")
    assert (session.agent_profile, session.executor_profile) == (fast.id, here.id)


@requirement("mcp:profiles")
async def test_without_a_name_an_agent_starts_one_like_itself(plane: Plane) -> None:
    parent = await plane.ready_task()
    fast = await profile(plane, parent.workspace, "Fast", AgentChoice("demo"))
    own = (await plane.launched(parent.id, profiles=Named(fast.id))).unwrap()
    request = CreateTaskRequest(parent.workspace, "A part", "Do your part.", (), parent.id)
    child = (await plane.api.create_task(OWNER, request)).unwrap().task

    async with tools_for(plane, agent_of(own)) as tools:
        begun = await tools.ok("spawn_session", task_id=child.id)

    session = await plane.session(begun["session_id"])
    assert (session.agent, session.agent_profile) == ("demo", fast.id)


@requirement("mcp:profiles")
async def test_who_waits_for_an_agent_to_start_is_told_so(tools: Tools) -> None:
    task = await tools.plane.ready_task()
    told: list[str | None] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    arguments = {"task_id": task.id, "agent": "demo"}
    answer = await tools.client.call_tool("spawn_session_kandev", arguments, progress_callback=hear)

    assert not answer.is_error
    assert set(told) == {"Starting the agent."}


@requirement("mcp:cancel")
async def test_a_start_that_its_client_cancels_is_given_up(tools: Tools) -> None:
    task = await tools.plane.ready_task()
    heard = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.set()

    async with tools.plane.store.write():
        starting = asyncio.ensure_future(
            tools.client.call_tool(
                "spawn_session_kandev",
                {"task_id": task.id, "agent": "demo"},
                progress_callback=hear,
            )
        )
        async with asyncio.timeout(60):
            await heard.wait()
        starting.cancel()
        await asyncio.wait({starting})

    assert (await tools.ok("list_sessions", task_id=task.id))["sessions"] == []
    assert (await tools.ok("spawn_session", task_id=task.id, agent="demo"))["status"] == "started"
