"""Saying how far the work on a task is, at both doors and over REST's use cases."""

import asyncio
from dataclasses import replace

import pytest
from mcp import MCPError

from domain.identity import ExecutionId
from domain.session import SessionState
from domain.step_report import MAX_REPORT_BYTES
from domain.task import Task
from pipelines.create_task import CreateTaskRequest
from tests.adapters.mcp.conftest import Tools, agent_of, tools_for
from tests.pipelines.plane import OWNER, Plane
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

DONE = {"summary": "Mended the door.", "handoff": "Paint it.", "blockers": "No paint."}


async def part(plane: Plane, of: Task) -> Task:
    request = CreateTaskRequest(of.workspace, "A part", "Do your part.", (), of.id)
    return (await plane.api.create_task(OWNER, request)).unwrap().task


@requirement("mcp:move")
async def test_a_person_moves_a_task_and_an_archived_one_stays(tools: Tools) -> None:
    task = await tools.plane.ready_task()

    states = [
        (await tools.ok("move_task", task_id=task.id, state=state))["state"]
        for state in ("review", "done", "done", "open")
    ]
    await tools.ok("archive_task", task_id=task.id)
    archived = await tools.refused("move_task", task_id=task.id, state="open")
    wrong = await tools.refused("move_task", task_id=task.id, state="archived")

    assert states == ["review", "done", "done", "open"]
    assert archived == "task_state: the task is archived, and does not move there from that."
    assert wrong == (
        "invalid arguments for move_task_kandev: validation failed at /state (keyword: enum)"
    )
    assert (await tools.ok("get_task", task_id=task.id))["state"] == "archived"


@requirement("mcp:move")
@requirement("mcp:family")
async def test_an_agent_moves_its_task_and_says_done_of_its_children_alone(plane: Plane) -> None:
    parent = await plane.ready_task()
    own, sibling = [await part(plane, parent) for _ in range(2)]
    stranger = await plane.task(
        parent.workspace, *[each.repository for each in parent.repositories]
    )
    below = (await plane.launched(own.id)).unwrap()
    above = (await plane.launched(parent.id)).unwrap()

    async with tools_for(plane, agent_of(below)) as tools:
        assert (await tools.ok("move_task", task_id="self", state="review"))["state"] == "review"
        for task, state in (
            (own, "done"),
            (parent, "open"),
            (sibling, "review"),
            (sibling, "done"),
        ):
            text = await tools.refused("move_task", task_id=task.id, state=state)
            assert text.startswith("forbidden: ")
        foreign = await tools.refused("move_task", task_id=stranger.id, state="review")
        assert foreign == await tools.refused("move_task", task_id="unknown", state="review")
    async with tools_for(plane, agent_of(above)) as tools:
        assert (await tools.ok("move_task", task_id=own.id, state="done"))["state"] == "done"
        assert (await tools.refused("move_task", task_id="self", state="done")).startswith(
            "forbidden: "
        )


@requirement("mcp:step")
async def test_an_agent_says_once_that_its_step_is_complete(plane: Plane) -> None:
    session = await plane.running()
    async with tools_for(plane, agent_of(session)) as tools, tools_for(plane, OWNER) as people:
        first = await tools.ok("complete_step", **DONE)
        again = await tools.ok("complete_step", summary="Once more.")
        shown = await people.ok("get_task", task_id=session.task)
        await people.ok("move_task", task_id=session.task, state="open")
        anew = await tools.ok("complete_step", summary="Painted it.")
        last = await people.ok("get_task", task_id=session.task)

    assert first == {"accepted": True, "reason": None, "state": "review"}
    assert again == {"accepted": False, "reason": "already_signaled", "state": "review"}
    assert shown["state"] == "review"
    assert shown["report"] == {"session_id": session.id, **DONE, "at": shown["report"]["at"]}
    assert anew["accepted"]
    assert last["report"]["summary"] == "Painted it."


@requirement("mcp:step")
async def test_of_many_that_say_so_at_once_one_is_accepted(plane: Plane) -> None:
    session = await plane.running()
    async with tools_for(plane, agent_of(session)) as tools:
        said = await asyncio.gather(*[
            tools.ok("complete_step", summary=f"Number {number}") for number in range(20)
        ])

    assert sorted(each["accepted"] for each in said) == [False] * 19 + [True]
    (accepted,) = [number for number, each in enumerate(said) if each["accepted"]]
    async with plane.store.read() as state:
        report = await state.report(session.task)
    assert report is not None
    assert report.words.summary == f"Number {accepted}"


@requirement("mcp:step")
async def test_no_session_but_the_live_one_of_the_task_completes_its_step(plane: Plane) -> None:
    session = await plane.running()
    other = (await plane.launched((await plane.ready_task()).id)).unwrap()
    agent = agent_of(session)
    for principal in (
        replace(agent, session=other.id),
        replace(agent, id=ExecutionId("another")),
    ):
        async with tools_for(plane, principal) as tools:
            assert (await tools.refused("complete_step", **DONE)).startswith("session_not_found: ")
    stopped = await plane.stopped(session)
    assert stopped.state is SessionState.STOPPED
    async with tools_for(plane, agent) as tools:
        assert (await tools.refused("complete_step", **DONE)).startswith("session_not_found: ")

    async with plane.store.read() as state:
        assert await state.report(session.task) is None


@requirement("mcp:step")
@pytest.mark.parametrize(
    ("words", "text"),
    [
        ({}, 'validation failed at $ (keyword: required; missing: "summary")'),
        ({"summary": ""}, "validation failed at /summary (keyword: minLength)"),
        (
            {"summary": "x" * (MAX_REPORT_BYTES + 1)},
            "validation failed at /summary (keyword: maxLength)",
        ),
        (
            {"summary": "x", "task_id": "t"},
            "validation failed at $ (keyword: additionalProperties)",
        ),
        ({"summary": " "}, "invalid_report: "),
        ({"summary": "\N{ROCKET}" * MAX_REPORT_BYTES}, "invalid_report: "),
    ],
)
async def test_a_report_that_cannot_be_kept_leaves_the_task_open(
    plane: Plane, words: dict[str, object], text: str
) -> None:
    session = await plane.running()
    async with tools_for(plane, agent_of(session)) as tools:
        assert text in await tools.refused("complete_step", **words)
        shown = await tools.ok("get_task", task_id="self")

    assert (shown["state"], shown["report"]) == ("open", None)


@requirement("mcp:step")
async def test_the_outside_door_completes_no_step(tools: Tools) -> None:
    with pytest.raises(MCPError, match="no such tool"):
        await tools.client.call_tool("complete_step_kandev", DONE)
