"""What must not happen whatever a client sends, as tables, at both doors."""

import asyncio
import re
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import TextContent

from adapters.mcp.server import make_server
from adapters.mcp.toolbox import INSIDE, OUTSIDE
from domain.identity import ExecutionId, SessionId, TaskId
from domain.principal import Execution, Principal
from domain.prompt_queue import MAX_QUEUED
from domain.session import Session, SessionState
from domain.task import Task
from domain.tool_bounds import MAX_TITLE
from pipelines.create_task import CreateTaskRequest
from ports.runtime import RuntimeCode, RuntimeProblem
from ports.store import StoreFault
from tests.adapters.mcp.conftest import Tools, agent_of, tools_for
from tests.fakes.broken_store import BrokenStore
from tests.pipelines.plane import OWNER, Plane
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

Json = dict[str, Any]

DOORS = {"outside": OUTSIDE, "inside": INSIDE}
AGENT = Execution(ExecutionId("exec"), TaskId("task"), SessionId("session"))
PAIR = {"task_id": "t", "session_id": "s"}
WORK = {"title": "Mend it", "prompt": "Mend the door."}
LABELLED = {"label": "hunter2", "description": "hunter2"}

WRONG: list[tuple[str, Json, str]] = [
    ("list_workspaces", {"unexpected": 1}, "$ (keyword: additionalProperties)"),
    ("list_repositories", {}, '$ (keyword: required; missing: "workspace_id")'),
    ("get_task", {"task_id": 7}, "/task_id (keyword: type)"),
    ("get_session", {"task_id": "t"}, '$ (keyword: required; missing: "session_id")'),
    ("get_conversation", {**PAIR, "limit": "50"}, "/limit (keyword: type)"),
    ("get_conversation", {**PAIR, "kinds": ["hunter2"]}, "/kinds/0 (keyword: enum)"),
    ("create_task", {}, '$ (keyword: required; missing: "prompt", "title")'),
    ("create_task", {**WORK, "description": "hunter2"}, "$ (keyword: additionalProperties)"),
    ("create_task", {"title": "Mend it", "promt": "hunter2"}, "$ (keyword: additionalProperties)"),
    ("create_task", {"title": "hunter2", "prompt": 7}, "/prompt (keyword: type)"),
    ("create_task", {**WORK, "title": "x" * (MAX_TITLE + 1)}, "/title (keyword: maxLength)"),
    (
        "create_task",
        {**WORK, "repositories": [{"base_branch": "hunter2"}]},
        '/repositories/0 (keyword: required; missing: "repository_id")',
    ),
    ("message_task", {"task_id": "t"}, '$ (keyword: required; missing: "prompt")'),
    (
        "message_task",
        {"task_id": "t", "prompt": "Go.", "delivery_mode": "hunter2"},
        "/delivery_mode (keyword: enum)",
    ),
    ("spawn_session", {"task_id": "t", "agent": ["hunter2"]}, "/agent (keyword: type)"),
    ("move_task", {"task_id": "t", "state": "hunter2"}, "/state (keyword: enum)"),
    ("stop_session", {"session_id": "s"}, '$ (keyword: required; missing: "task_id")'),
]
OF_AN_AGENT: list[tuple[str, Json, str]] = [
    ("ask_user_question", {"questions": []}, "/questions (keyword: minItems)"),
    (
        "ask_user_question",
        {"questions": [{"prompt": "hunter2", "options": [LABELLED, {"label": "hunter2"}]}]},
        '/questions/0/options/1 (keyword: required; missing: "description")',
    ),
    (
        "ask_user_question",
        {"questions": [{"prompt": "hunter2", "options": [LABELLED, {}]}]},
        '/questions/0/options/1 (keyword: required; missing: "description", "label")',
    ),
    ("complete_step", {}, '$ (keyword: required; missing: "summary")'),
    ("get_diagnostic_bundle", {}, '$ (keyword: required; missing: "source")'),
    ("get_diagnostic_bundle", {"source": "hunter2"}, "/source (keyword: enum)"),
    (
        "get_diagnostic_bundle",
        {"source": "backend", "path": "/hunter2"},
        "$ (keyword: additionalProperties)",
    ),
]
OF_A_PERSON: list[tuple[str, Json, str]] = [
    (
        "answer_permission",
        {**PAIR, "request_id": "r"},
        '$ (keyword: required; missing: "option_id")',
    ),
    ("answer_question", {"pending_id": "p", "answers": "hunter2"}, "/answers (keyword: type)"),
    ("list_pending_questions", {}, '$ (keyword: required; missing: "workspace_id")'),
]


@requirement("mcp:arguments")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    ("door", "name", "arguments", "where"),
    [
        *((door, *each) for door in DOORS for each in WRONG),
        *(("inside", *each) for each in OF_AN_AGENT),
        *(("outside", *each) for each in OF_A_PERSON),
    ],
)
async def test_wrong_arguments_reach_nothing(
    door: str, name: str, arguments: Json, where: str, mode: Any
) -> None:
    nothing: Any = SimpleNamespace(version="1")
    server = make_server(nothing, DOORS[door], lambda _: AGENT)
    async with Client(server, mode=mode) as client:
        answer = await client.call_tool(f"{name}_kandev", arguments)

    assert answer.is_error
    assert answer.structured_content is None
    (text,) = answer.content
    assert isinstance(text, TextContent)
    assert text.text == f"invalid arguments for {name}_kandev: validation failed at {where}"


@requirement("mcp:tools")
@pytest.mark.parametrize(
    ("door", "name"),
    [
        ("inside", "answer_permission"),
        ("inside", "answer_question"),
        ("inside", "list_pending_questions"),
        ("inside", "list_pending_permissions"),
        ("outside", "ask_user_question"),
        ("outside", "complete_step"),
        ("outside", "get_diagnostic_bundle"),
        *((door, name) for door in DOORS for name in ("restore_task", "delete_task", "unknown")),
    ],
)
async def test_a_door_has_no_tool_of_the_other(door: str, name: str) -> None:
    nothing: Any = SimpleNamespace(version="1")
    async with Client(make_server(nothing, DOORS[door], lambda _: AGENT)) as client:
        with pytest.raises(MCPError, match="no such tool"):
            await client.call_tool(f"{name}_kandev", {})


@dataclass
class Kin:
    """A family, each with a live agent, and two that have nothing to do with it."""

    parent: tuple[Task, Session]
    own: tuple[Task, Session]
    sibling: tuple[Task, Session]
    stranger: tuple[Task, Session]
    foreign: tuple[Task, Session]

    def __getitem__(self, name: str) -> tuple[Task, Session]:
        found: tuple[Task, Session] = getattr(self, name)
        return found


@pytest.fixture
async def kin(plane: Plane) -> Kin:
    async def started(task: Task) -> tuple[Task, Session]:
        return task, (await plane.launched(task.id)).unwrap()

    async def part(of: Task) -> Task:
        request = CreateTaskRequest(of.workspace, "A part", "Do your part.", (), of.id)
        return (await plane.api.create_task(OWNER, request)).unwrap().task

    parent = await plane.ready_task()
    beside = await plane.task(parent.workspace, *[each.repository for each in parent.repositories])
    return Kin(
        await started(parent),
        await started(await part(parent)),
        await started(await part(parent)),
        await started(beside),
        await started(await plane.ready_task()),
    )


CONTROL: list[tuple[str, str, str]] = [
    ("parent", "own", "allowed"),
    ("own", "own", "forbidden"),
    ("sibling", "own", "forbidden"),
    ("own", "parent", "forbidden"),
    ("stranger", "own", "task_not_found"),
    ("foreign", "own", "task_not_found"),
]


@requirement("mcp:family")
@pytest.mark.parametrize("name", ["stop_session", "archive_task", "spawn_session"])
@pytest.mark.parametrize(("actor", "target", "expected"), CONTROL)
async def test_who_may_control_whom(
    plane: Plane, kin: Kin, name: str, actor: str, target: str, expected: str
) -> None:
    task, session = kin[target]
    more: Json = {"stop_session": {"session_id": session.id}, "spawn_session": {"agent": "demo"}}
    before = await plane.session(session.id)
    async with tools_for(plane, agent_of(kin[actor][1])) as tools:
        answer = await tools.client.call_tool(
            f"{name}_kandev", {"task_id": task.id, **more.get(name, {})}
        )

    text = answer.content[0].text  # type: ignore[union-attr]  # always text
    if expected == "allowed":
        # An agent is at work on it: to start another is refused for that alone.
        assert not answer.is_error or text.startswith("task_busy: ")
    else:
        assert text.startswith(f"{expected}: ")
        assert await plane.session(session.id) == before
        assert plane.runtime.stopped == []


READS = ["get_task", "list_sessions", "list_related_tasks", "get_task_plan"]


@requirement("mcp:principal")
@pytest.mark.parametrize("name", [*READS, "get_session", "get_conversation"])
@pytest.mark.parametrize("target", ["stranger", "foreign"])
async def test_what_is_another_familys_is_as_what_is_not_there(
    plane: Plane, kin: Kin, name: str, target: str
) -> None:
    task, session = kin[target]
    theirs = {"task_id": task.id, "session_id": session.id}
    mine_and_theirs = {"task_id": "self", "session_id": session.id}
    named = ["task_id"] if name in READS else ["task_id", "session_id"]
    async with tools_for(plane, agent_of(kin.own[1])) as tools:
        foreign = await tools.refused(name, **{each: theirs[each] for each in named})
        unknown = await tools.refused(name, **dict.fromkeys(named, "unknown"))
        if len(named) == 2:
            mixed = await tools.refused(name, **mine_and_theirs)
            assert mixed == await tools.refused(name, task_id="self", session_id="unknown")

    assert foreign == unknown


@requirement("mcp:principal")
@pytest.mark.parametrize("name", ["list_tasks", "list_repositories", "list_agent_profiles"])
async def test_another_workspace_is_as_one_that_is_not_there(
    plane: Plane, kin: Kin, name: str
) -> None:
    other = kin.foreign[0].workspace
    async with tools_for(plane, agent_of(kin.own[1])) as tools:
        foreign = await tools.refused(name, workspace_id=other)
        unknown = await tools.refused(name, workspace_id="unknown")
        made = await tools.refused("create_task", **WORK, parent_id="self", workspace_id=other)
        own = await tools.refused("create_task", **WORK, parent_id="self", workspace_id="unknown")

    assert (foreign, made) == (unknown, own)


@requirement("mcp:family")
async def test_an_agent_of_a_part_divides_nothing(plane: Plane, kin: Kin) -> None:
    async with tools_for(plane, agent_of(kin.own[1])) as tools:
        assert (await tools.refused("create_task", **WORK, parent_id="self")).startswith(
            "too_deep: "
        )


@requirement("mcp:problems")
async def test_stopping_what_is_stopped_changes_nothing(tools: Tools) -> None:
    stopped = await tools.plane.stopped(await tools.plane.running())

    pair = {"task_id": stopped.task, "session_id": stopped.id}
    answer = await tools.ok("stop_session", **pair)

    assert answer["state"] == SessionState.STOPPED
    assert await tools.plane.session(stopped.id) == stopped


@requirement("mcp:problems")
async def test_a_message_needs_an_agent_that_is_there_and_room_in_its_queue(tools: Tools) -> None:
    session = await tools.plane.running()
    task = session.task
    states = [
        (await tools.ok("message_task", task_id=task, prompt=f"Number {number}"))["status"]
        for number in range(MAX_QUEUED + 1)
    ]
    full = await tools.refused("message_task", task_id=task, prompt="One more")
    await tools.plane.stopped(session)
    gone = await tools.refused("message_task", task_id=task, prompt="Anybody?")

    assert states == ["started", *["queued"] * MAX_QUEUED]
    assert full.startswith("queue_full: ")
    assert gone == "no_live_session: no agent works on the task. Use spawn_session_kandev."


@requirement("mcp:interrupt")
@pytest.mark.parametrize(
    ("actor", "target", "expected"),
    [
        ("parent", "own", "sent"),
        ("own", "parent", "forbidden: "),
        ("own", "sibling", "forbidden: "),
        ("own", "own", "forbidden: "),
        ("stranger", "own", "task_not_found: "),
    ],
)
async def test_who_may_interrupt_whom(
    plane: Plane, kin: Kin, actor: str, target: str, expected: str
) -> None:
    task, session = kin[target]
    (await plane.api.prompt(OWNER, session.id, "Work.")).unwrap()
    message = {"task_id": task.id, "prompt": "Stop that.", "delivery_mode": "interrupt"}
    async with tools_for(plane, agent_of(kin[actor][1])) as tools:
        answer = await tools.client.call_tool("message_task_kandev", message)

    async with plane.store.read() as state:
        waits = [each.text for each in await state.queue(session.id)]
    if expected == "sent":
        assert answer.structured_content is not None
        assert answer.structured_content["status"] == "sent"
    else:
        assert answer.content[0].text.startswith(expected)  # type: ignore[union-attr]  # always text
    sent = expected == "sent"
    assert waits == (["Stop that."] if sent else [])
    assert len(plane.runtime.cancelled) == sent


@requirement("mcp:interrupt")
async def test_a_message_whose_interruption_fails_stays_in_the_queue(tools: Tools) -> None:
    plane = tools.plane
    session = await plane.running()
    message = {"task_id": session.task, "delivery_mode": "interrupt"}
    idle = await tools.ok("message_task", **message, prompt="Work.")
    plane.runtime.refuses["cancel"] = RuntimeProblem(RuntimeCode.AGENT_DIED, "it ended")

    busy = await tools.ok("message_task", **message, prompt="Stop that.")

    async with plane.store.read() as state:
        waits = [each.text for each in await state.queue(session.id)]
    assert (idle["status"], busy["status"], waits) == ("started", "queued", ["Stop that."])


@requirement("mcp:problems")
@pytest.mark.parametrize("fault", StoreFault)
@pytest.mark.parametrize("principal", [OWNER, AGENT])
async def test_nothing_is_shown_when_the_store_cannot_say_whose_it_is(
    plane: Plane, principal: Principal, fault: StoreFault
) -> None:
    broken: Any = BrokenStore(fault)
    backend = replace(plane.container.tools(), store=broken)
    tools = INSIDE if isinstance(principal, Execution) else OUTSIDE
    async with Client(make_server(backend, tools, lambda _: principal)) as client:
        answer = await client.call_tool("get_task_kandev", {"task_id": "task"})
        with pytest.raises(MCPError) as caught:
            await client.read_resource("kandev://tasks/task")

    assert answer.is_error
    assert answer.content[0].text == (  # type: ignore[union-attr]  # always text
        f"{fault.value}: the database cannot serve. Try again."
    )
    assert str(caught.value).startswith(f"{fault.value}: ")


@requirement("mcp:problems")
async def test_what_nobody_expected_is_told_by_a_number_alone() -> None:
    nothing: Any = SimpleNamespace(version="1")
    async with Client(make_server(nothing, OUTSIDE, lambda _: OWNER)) as client:
        answer = await client.call_tool("get_task_kandev", {"task_id": "task"})
        asking = (
            client.read_resource("kandev://tasks/task"),
            client.list_resources(),
            client.list_prompts(),
            client.get_prompt("review"),
        )
        told = [str(each) for each in await asyncio.gather(*asking, return_exceptions=True)]

    assert answer.is_error
    texts = [answer.content[0].text, *told]  # type: ignore[union-attr]  # always text
    assert all(
        re.fullmatch(r"internal_error: something unexpected; the log has it as [0-9a-f]{8}\.", each)
        for each in texts
    )
    assert len(set(texts)) == len(texts)
