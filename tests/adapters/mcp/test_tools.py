"""The tools through a real client of the protocol, over the real use cases and store."""

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no stubs
import pytest
from mcp import MCPError

from adapters.mcp.toolbox import INSIDE, OUTSIDE
from adapters.mcp.tools import Effect
from domain.event import EventKind, ExecutionEvent
from domain.identity import ExecutionId, SessionId, TaskId, WorkspaceId
from domain.principal import Execution, Principal
from domain.session import Session
from domain.task import Task
from domain.tool_bounds import MAX_CONVERSATION_BYTES
from ports.runtime import RuntimeCode, RuntimeProblem
from tests.adapters.mcp.conftest import Tools, agent_of, tools_for
from tests.pipelines.plane import OWNER, Plane
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

SNAPSHOTS = Path(__file__).parent
EVERY = {**OUTSIDE, **INSIDE}
STRANGER = Execution(ExecutionId("exec"), TaskId("task"), SessionId("session"))
"""An agent of a task that is not there."""


def listed() -> list[dict[str, Any]]:
    return [
        each.described().model_dump(mode="json", by_alias=True, exclude_none=True)
        for each in EVERY.values()
    ]


async def said(plane: Plane, session: Session, *texts: str) -> None:
    """Events of the session, as its agent would have told them."""
    assert session.execution is not None
    events = [
        ExecutionEvent(number, plane.clock.now(), EventKind.MESSAGE_CHUNK, 1, {"text": text})
        for number, text in enumerate(texts, start=1)
    ]
    async with plane.store.write() as unit:
        await unit.append_events(session.id, session.execution, events)


async def workspace_of(plane: Plane, session: Session) -> WorkspaceId:
    async with plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    return task.workspace


async def sibling(plane: Plane, session: Session) -> Task:
    """Another task in the workspace and the repositories of the session's."""
    async with plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    return await plane.task(task.workspace, *[each.repository for each in task.repositories])


@requirement("mcp:tools")
@pytest.mark.parametrize(
    ("principal", "snapshot"), [(OWNER, "outside.json"), (STRANGER, "inside.json")]
)
async def test_the_list_of_tools_is_the_one_that_was_reviewed(
    plane: Plane, principal: Principal, snapshot: str
) -> None:
    async with tools_for(plane, principal) as tools:
        offered = (await tools.client.list_tools()).tools

    assert [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in offered] == (
        json.loads((SNAPSHOTS / snapshot).read_text(encoding="utf-8"))
    )


@requirement("mcp:tools")
@pytest.mark.parametrize("tool", EVERY.values(), ids=EVERY)
def test_a_tool_says_what_it_is_for_and_what_it_does_to_the_world(tool: Any) -> None:
    described = tool.described()

    assert described.name.endswith("_kandev")
    assert described.title
    assert len(described.description) > 40
    adds_a_file = described.name == "get_diagnostic_bundle_kandev"
    reads = described.name.startswith(("list_", "get_")) and not adds_a_file
    assert (tool.effect is Effect.READS) == reads


@requirement("mcp:schemas")
@pytest.mark.parametrize("validator", [jsonschema.Draft202012Validator, jsonschema.Draft7Validator])
@pytest.mark.parametrize("tool", listed(), ids=EVERY)
def test_every_schema_is_valid_and_closed(tool: dict[str, Any], validator: Any) -> None:
    validator.check_schema(tool["inputSchema"])
    validator.check_schema(tool["outputSchema"])

    assert tool["inputSchema"]["additionalProperties"] is False
    assert list(validator(tool["inputSchema"]).iter_errors({"unexpected": 1}))


@requirement("mcp:schemas")
async def test_every_answer_keeps_the_schema_of_its_tool(tools: Tools) -> None:
    session = await tools.plane.running()
    await said(tools.plane, session, "Hello")
    other = await sibling(tools.plane, session)
    workspace = (await tools.ok("list_workspaces"))["workspaces"][0]["id"]
    pair = {"task_id": session.task, "session_id": session.id}
    asked = (await tools.plane.container.tools().ask_user(agent_of(session), "", ())).unwrap()
    schemas = {each["name"]: each["outputSchema"] for each in listed() if each["name"] in OUTSIDE}

    for name, arguments in {
        "list_workspaces": {},
        "list_repositories": {"workspace_id": workspace},
        "list_tasks": {"workspace_id": workspace},
        "get_task": {"task_id": session.task},
        "create_task": {"title": "Mend it", "prompt": "Mend the door."},
        "move_task": {"task_id": session.task, "state": "review"},
        "list_agent_profiles": {"workspace_id": workspace},
        "list_executor_profiles": {"workspace_id": workspace},
        "list_sessions": {"task_id": session.task},
        "list_related_tasks": {"task_id": session.task},
        "update_task": {"task_id": session.task, "title": "Mend it all"},
        "get_session": pair,
        "get_conversation": pair,
        "message_task": {"task_id": session.task, "prompt": "Go on."},
        "list_pending_permissions": pair,
        "answer_permission": {**pair, "request_id": "1", "option_id": "allow"},
        "create_task_plan": {"task_id": session.task, "content": "Look."},
        "update_task_plan": {"task_id": session.task, "content": "Mend."},
        "get_task_plan": {"task_id": session.task},
        "delete_task_plan": {"task_id": session.task},
        "list_pending_questions": {"workspace_id": workspace},
        "answer_question": {"pending_id": asked.id, "reject_reason": "No."},
        "list_agents": {},
        "stop_session": pair,
        "archive_task": {"task_id": session.task},
        "spawn_session": {"task_id": other.id, "agent": "demo"},
    }.items():
        answer = await tools.client.call_tool(f"{name}_kandev", arguments)
        assert not answer.is_error, answer.content
        jsonschema.validate(
            answer.structured_content,
            schemas.pop(f"{name}_kandev"),
            cls=jsonschema.Draft202012Validator,
        )
        assert json.loads(answer.content[0].text) == answer.structured_content  # type: ignore[union-attr]  # always text
    assert schemas == {}


@requirement("mcp:arguments")
@pytest.mark.parametrize("wrong", [{"promt": "Mend it, hunter2"}, {"prompt": 7}])
async def test_wrong_arguments_make_no_task_and_are_not_repeated(
    tools: Tools, wrong: dict[str, object]
) -> None:
    task = await tools.plane.ready_task()

    text = await tools.refused("create_task", title="Mend it", **wrong)

    assert text.startswith("invalid arguments for create_task_kandev: validation failed at ")
    assert "hunter2" not in text
    shown = await tools.ok("list_tasks", workspace_id=task.workspace)
    assert [each["id"] for each in shown["tasks"]] == [task.id]


async def test_an_unknown_tool_is_an_error_of_the_protocol(tools: Tools) -> None:
    with pytest.raises(MCPError, match="no such tool"):
        await tools.client.call_tool("format_disk_kandev", {})


@requirement("mcp:pair")
async def test_a_session_is_found_only_beside_its_task(tools: Tools) -> None:
    session = await tools.plane.running()
    other = await sibling(tools.plane, session)
    foreign = {"task_id": other.id, "session_id": session.id}
    unknown = {"task_id": other.id, "session_id": "sess_unknown"}

    calls: dict[str, dict[str, object]] = {
        "get_session": {},
        "get_conversation": {},
        "stop_session": {},
        "message_task": {"prompt": "Go on."},
        "answer_permission": {"request_id": "1", "option_id": None},
    }
    for name, more in calls.items():
        text = await tools.refused(name, **foreign, **more)
        assert text == await tools.refused(name, **unknown, **more)
        assert text.startswith("session_not_found: ")
    assert not tools.plane.runtime.stopped
    assert not tools.plane.runtime.prompts


@requirement("mcp:principal")
async def test_an_agent_of_no_task_sees_nothing_whatever_it_names(plane: Plane) -> None:
    session = await plane.running()
    workspace = await workspace_of(plane, session)
    pair = {"task_id": session.task, "session_id": session.id}
    unknown = {"task_id": "unknown", "session_id": "unknown"}

    async with tools_for(plane, STRANGER) as tools:
        for name in ("get_session", "get_conversation"):
            text = await tools.refused(name, **pair)
            assert text == await tools.refused(name, **unknown)
        for name in ("get_task", "list_sessions"):
            text = await tools.refused(name, task_id=session.task)
            assert text == await tools.refused(name, task_id="unknown")
        for name in ("list_tasks", "list_repositories"):
            text = await tools.refused(name, workspace_id=workspace)
            assert text == await tools.refused(name, workspace_id="unknown")
        assert (await tools.ok("list_workspaces"))["workspaces"] == []


@requirement("mcp:principal")
async def test_an_agent_sees_its_task_and_no_other(plane: Plane) -> None:
    session = await plane.running()
    other = await sibling(plane, session)
    await plane.workspace()
    workspace = await workspace_of(plane, session)
    agent = agent_of(session)
    pair = {"task_id": session.task, "session_id": session.id}

    async with tools_for(plane, agent) as tools:
        assert [each["id"] for each in (await tools.ok("list_workspaces"))["workspaces"]] == [
            workspace
        ]
        assert [
            each["id"] for each in (await tools.ok("list_tasks", workspace_id=workspace))["tasks"]
        ] == [session.task]
        assert (await tools.ok("get_session", **pair))["state"] == "idle"
        assert (await tools.ok("get_conversation", **pair))["events"] == []
        foreign = await tools.refused("get_task", task_id=other.id)
        assert foreign == await tools.refused("get_task", task_id="unknown")
        theirs = {"task_id": other.id, "session_id": session.id}
        assert await tools.refused("get_session", **theirs) == foreign


@requirement("mcp:pages")
async def test_tasks_come_in_pages(tools: Tools) -> None:
    first = await tools.plane.ready_task()
    chosen = [each.repository for each in first.repositories]
    made = {first.id, *[(await tools.plane.task(first.workspace, *chosen)).id for _ in range(4)]}

    seen: list[str] = []
    after = None
    while True:
        page = await tools.ok("list_tasks", workspace_id=first.workspace, limit=2, after=after)
        seen += [each["id"] for each in page["tasks"]]
        after = page["next_after"]
        if after is None:
            break

    assert sorted(seen) == sorted(made)


@requirement("mcp:pages")
async def test_a_conversation_comes_in_pages(tools: Tools) -> None:
    session = await tools.plane.running()
    await said(tools.plane, session, *[str(number) for number in range(7)])
    pair = {"task_id": session.task, "session_id": session.id}

    seen: list[str] = []
    after, more = 0, True
    while more:
        page = await tools.ok("get_conversation", **pair, after=after, limit=3)
        seen += [each["body"]["text"] for each in page["events"]]
        after, more = page["next_after"], page["more"]

    assert seen == [str(number) for number in range(7)]
    assert (await tools.ok("get_conversation", **pair, after=after))["next_after"] == after
    assert (await tools.ok("get_conversation", **pair, kinds=["plan"]))["events"] == []


@requirement("mcp:pages")
async def test_a_page_of_a_conversation_is_no_larger_than_its_bound(tools: Tools) -> None:
    session = await tools.plane.running()
    await said(tools.plane, session, "x" * MAX_CONVERSATION_BYTES, "small", "small too")
    pair = {"task_id": session.task, "session_id": session.id}

    first = await tools.ok("get_conversation", **pair)
    second = await tools.ok("get_conversation", **pair, after=first["next_after"])

    assert ([len(each["events"]) for each in (first, second)], first["more"]) == ([1, 2], True)
    assert second["more"] is False


async def test_a_task_is_created_where_there_is_only_one_place_for_it(tools: Tools) -> None:
    task = await tools.plane.ready_task()

    made = await tools.ok("create_task", title="Mend it", prompt="Mend the door.")

    assert made["workspace_id"] == task.workspace
    assert [each["repository_id"] for each in made["repositories"]] == [
        each.repository for each in task.repositories
    ]


@requirement("mcp:problems")
async def test_a_task_needs_its_workspace_named_where_there_are_two(tools: Tools) -> None:
    await tools.plane.ready_task()
    await tools.plane.workspace()

    text = await tools.refused("create_task", title="Mend it", prompt="Mend the door.")

    assert text.startswith("workspace_needed: ")


@requirement("mcp:problems")
async def test_a_message_goes_to_the_live_session_of_the_task(tools: Tools) -> None:
    session = await tools.plane.running()

    begun = await tools.ok("message_task", task_id=session.task, prompt="Go on.")
    again = await tools.ok("message_task", task_id=session.task, prompt="And on.")

    assert (begun["session_id"], begun["status"], begun["turn"]) == (session.id, "started", 1)
    assert (again["status"], again["turn"]) == ("queued", None)
    assert [text for _, _, text in tools.plane.runtime.prompts] == ["Go on."]


@requirement("mcp:problems")
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("create_task", {"title": " ", "prompt": "Mend it."}, "invalid_name"),
        ("create_task", {"title": "Mend it", "prompt": " "}, "invalid_prompt"),
        ("create_task", {"title": "Mend it", "prompt": "Mend it.", "workspace_id": "x"},
         "workspace_not_found"),
        ("get_task", {"task_id": "x"}, "task_not_found"),
        ("list_tasks", {"workspace_id": "x"}, "workspace_not_found"),
    ],
)  # fmt: skip
async def test_a_refusal_has_a_stable_code(
    tools: Tools, name: str, arguments: dict[str, object], code: str
) -> None:
    await tools.plane.ready_task()

    assert (await tools.refused(name, **arguments)).startswith(f"{code}: ")


@requirement("mcp:problems")
async def test_a_task_without_an_agent_cannot_be_messaged(tools: Tools) -> None:
    task = await tools.plane.ready_task()

    text = await tools.refused("message_task", task_id=task.id, prompt="Go on.")

    assert text.startswith("no_live_session: ")


async def test_an_agent_starts_on_a_task_with_the_prompt_of_the_task(tools: Tools) -> None:
    task = await tools.plane.ready_task()

    begun = await tools.ok("spawn_session", task_id=task.id, agent="demo")
    busy = await tools.refused("spawn_session", task_id=task.id, agent="demo")

    assert [text for _, _, text in tools.plane.runtime.prompts] == [task.prompt]
    assert (await tools.ok("get_session", task_id=task.id, session_id=begun["session_id"]))[
        "state"
    ] == "running"
    assert busy.startswith("task_busy: ")


@requirement("mcp:problems")
async def test_an_agent_that_does_not_take_its_prompt_leaves_the_task_free(tools: Tools) -> None:
    task = await tools.plane.ready_task()
    tools.plane.runtime.refuses["prompt"] = RuntimeProblem(RuntimeCode.AGENT_DIED, "it ended")

    text = await tools.refused("spawn_session", task_id=task.id, agent="demo")

    assert text == "agent_died: it ended"
    assert len(tools.plane.runtime.stopped) == 1


@requirement("mcp:problems")
async def test_an_agent_that_nobody_knows_is_refused_with_those_that_are_known(
    tools: Tools,
) -> None:
    task = await tools.plane.ready_task()

    text = await tools.refused("spawn_session", task_id=task.id, agent="hunter2")

    assert text.startswith("unknown_agent: ")
    assert "demo" in text
    assert "hunter2" not in text


@requirement("mcp:problems")
async def test_what_the_agents_machine_refuses_is_told(tools: Tools) -> None:
    session = await tools.plane.running()
    tools.plane.runtime.refuses["answer"] = RuntimeProblem(
        RuntimeCode.NO_PERMISSION, "no such request"
    )

    text = await tools.refused(
        "answer_permission",
        task_id=session.task,
        session_id=session.id,
        request_id="1",
        option_id="never-offered",
    )

    assert text == "no_such_permission: no such request"


@requirement("mcp:cancel")
async def test_a_cancelled_call_changes_nothing_and_the_next_one_is_served(tools: Tools) -> None:
    task = await tools.plane.ready_task()
    async with tools.plane.store.write():
        waiting = asyncio.ensure_future(tools.ok("create_task", title="Mend it", prompt="Mend it."))
        await tools.ok("get_task", task_id=task.id)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    shown = await tools.ok("list_tasks", workspace_id=task.workspace)
    assert [each["id"] for each in shown["tasks"]] == [task.id]


@requirement("mcp:many")
async def test_a_hundred_calls_at_once_are_each_answered_as_their_own(tools: Tools) -> None:
    await tools.plane.ready_task()
    titles = [f"Work {number}" for number in range(100)]

    made = await asyncio.gather(*[
        tools.ok("create_task", title=title, prompt="Mend it.") for title in titles
    ])

    assert [each["title"] for each in made] == titles
    assert len({each["id"] for each in made}) == 100
