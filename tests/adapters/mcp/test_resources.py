"""Resources and what is told of them, through a client of the protocol, at both doors."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import (
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
)

from adapters.mcp.following import stand
from adapters.mcp.server import make_server
from adapters.mcp.toolbox import INSIDE
from domain.event import EventKind, ExecutionEvent
from domain.principal import Execution
from domain.session import Session
from domain.tool_bounds import MAX_LISTED_SESSIONS, MAX_LISTED_TASKS, MAX_STREAMS, MAX_SUBSCRIBED
from pipelines.create_task import CreateTaskRequest
from tests.adapters.mcp.conftest import Tools, agent_of, tools_for
from tests.pipelines.plane import OWNER, Plane
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

WORK = {"title": "Mend it", "prompt": "Mend the door."}


async def said(plane: Plane, session: Session, *texts: str, first: int = 1) -> None:
    """Events of the session, as its agent would have told them."""
    assert session.execution is not None
    events = [
        ExecutionEvent(number, plane.clock.now(), EventKind.MESSAGE_CHUNK, 1, {"text": text})
        for number, text in enumerate(texts, start=first)
    ]
    async with plane.store.write() as unit:
        await unit.append_events(session.id, session.execution, events)


async def every_uri(client: Client) -> list[str]:
    """The addresses of all pages, in their order."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = await client.list_resources(cursor=cursor, cache_mode="bypass")
        found += [each.uri for each in page.resources]
        cursor = page.next_cursor
        if cursor is None:
            return found


async def text_of(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri, cache_mode="bypass")).contents
    assert content.uri == uri
    text: str = content.text  # type: ignore[union-attr]  # all of ours are text
    return text


async def refusal(client: Client, uri: str) -> str:
    with pytest.raises(MCPError) as caught:
        await client.read_resource(uri, cache_mode="bypass")
    return str(caught.value)


@requirement("mcp:resources")
async def test_a_resource_is_what_its_tool_gives(plane: Plane) -> None:
    session = await plane.running()
    await said(plane, session, "Hello", "there")
    task = f"kandev://tasks/{session.task}"
    conversation = f"{task}/sessions/{session.id}/conversation"
    pair = {"task_id": session.task, "session_id": session.id}

    for principal in (OWNER, agent_of(session)):
        async with tools_for(plane, principal) as tools:
            await tools.client.call_tool(
                "create_task_plan_kandev", {"task_id": session.task, "content": "# Look"}
            )
            uris = await every_uri(tools.client)
            templates = (await tools.client.list_resource_templates()).resource_templates
            shown = json.loads(await text_of(tools.client, task))
            talked = json.loads(await text_of(tools.client, conversation))
            rest = json.loads(await text_of(tools.client, f"{conversation}?after=1"))

            assert uris == [task, f"{task}/plan", conversation]
            assert [each.uri_template for each in templates] == [
                "kandev://tasks/{task_id}",
                "kandev://tasks/{task_id}/plan",
                "kandev://tasks/{task_id}/sessions/{session_id}/conversation{?after}",
            ]
            assert shown == await tools.ok("get_task", task_id=session.task)
            assert await text_of(tools.client, f"{task}/plan") == "# Look"
            assert talked == await tools.ok("get_conversation", **pair)
            assert [each["body"]["text"] for each in rest["events"]] == ["there"]


@requirement("mcp:resources")
async def test_the_resources_of_an_agent_are_those_of_its_family(plane: Plane) -> None:
    parent = await plane.ready_task()
    request = CreateTaskRequest(parent.workspace, "A part", "Do your part.", (), parent.id)
    own = (await plane.api.create_task(OWNER, request)).unwrap().task
    other = await plane.task(parent.workspace, *[each.repository for each in parent.repositories])
    session = (await plane.launched(own.id)).unwrap()
    theirs = (await plane.launched(other.id)).unwrap()

    async with tools_for(plane, agent_of(session)) as tools:
        uris = await every_uri(tools.client)
        itself = json.loads(await text_of(tools.client, "kandev://tasks/self"))
        refused = {
            uri.replace(other.id, "unknown").replace(theirs.id, "unknown"): await refusal(
                tools.client, uri
            )
            for uri in (
                f"kandev://tasks/{other.id}",
                f"kandev://tasks/{other.id}/plan",
                f"kandev://tasks/{other.id}/sessions/{theirs.id}/conversation",
                f"kandev://tasks/{own.id}/sessions/{theirs.id}/conversation",
            )
        }
        unknown = {uri: await refusal(tools.client, uri) for uri in refused}

    assert set(uris) == {
        f"kandev://tasks/{parent.id}",
        f"kandev://tasks/{own.id}",
        f"kandev://tasks/{own.id}/sessions/{session.id}/conversation",
    }
    assert itself["id"] == own.id
    assert refused == unknown


@requirement("mcp:resources")
@pytest.mark.parametrize(
    "uri",
    [
        "kandev://tasks/",
        "kandev://tasks/a/sessions/b",
        "kandev://tasks/a/sessions/b/conversation?after=-1",
        "kandev://tasks/a/sessions/b/conversation?after=1&limit=2",
        "kandev://tasks/" + "x" * 129,
        "kandev://workspaces/a",
        "file:///etc/passwd",
    ],
)
async def test_what_is_no_address_is_not_found_and_not_repeated(tools: Tools, uri: str) -> None:
    assert await refusal(tools.client, uri) == (
        "resource_not_found: there is no such resource. List them to find its id."
    )


@requirement("mcp:resources")
async def test_pages_of_resources_lose_nothing_and_repeat_nothing(tools: Tools) -> None:
    first = await tools.plane.ready_task()
    await tools.plane.workspace()
    second = await tools.plane.ready_task()
    for _ in range(MAX_LISTED_TASKS):
        await tools.plane.task(first.workspace, *[each.repository for each in first.repositories])

    uris = await every_uri(tools.client)
    page = (await tools.client.list_resources(cache_mode="bypass")).resources

    assert len(page) <= MAX_LISTED_TASKS
    assert len(set(uris)) == len(uris) == MAX_LISTED_TASKS + 2
    assert f"kandev://tasks/{second.id}" in uris
    for wrong in ("nonsense", "x" * 129 + "/", "a/" + "x" * 129):
        with pytest.raises(MCPError, match="invalid_cursor"):
            await tools.client.list_resources(cursor=wrong, cache_mode="bypass")


@requirement("mcp:resources")
async def test_a_task_lists_its_newest_conversations_and_reads_the_others(tools: Tools) -> None:
    session = await tools.plane.running()
    older = [
        replace(session, id=type(session.id)(f"ses_{number}"), execution=None)
        for number in range(MAX_LISTED_SESSIONS)
    ]
    async with tools.plane.store.write() as unit:
        for number, each in enumerate(older, start=1):
            later = tools.plane.clock.now().replace(year=2100 + number)
            await unit.add_session(replace(each, created_at=later))

    uris = [each for each in await every_uri(tools.client) if each.endswith("conversation")]
    first = f"kandev://tasks/{session.task}/sessions/{session.id}/conversation"

    assert uris == [first.replace(session.id, each.id) for each in older]
    assert json.loads(await text_of(tools.client, first))["events"] == []


async def heard(events: AsyncIterator[ServerEvent], count: int) -> list[ServerEvent]:
    """So many events of a subscription, in any order."""
    async with asyncio.timeout(60):
        return [await anext(events) for _ in range(count)]


@requirement("mcp:changes")
async def test_a_client_is_told_what_it_asked_to_hear_of(plane: Plane) -> None:
    session = await plane.running()
    task = f"kandev://tasks/{session.task}"
    conversation = f"{task}/sessions/{session.id}/conversation"
    uris = [task, f"{task}/plan", conversation, "kandev://tasks/unknown", "mailto:nobody"]
    async with tools_for(plane, OWNER) as tools:
        listening = tools.client.listen(resources_list_changed=True, resource_subscriptions=uris)
        async with listening as told:
            events = aiter(told)
            await tools.ok("create_task_plan", task_id=session.task, content="Look.")
            planned = await heard(events, 2)
            await tools.ok("update_task_plan", task_id=session.task, content="Mend.")
            rewritten = await heard(events, 1)
            await said(plane, session, "Hello")
            talked = await heard(events, 1)
            await tools.ok("update_task", task_id=session.task, prompt="Otherwise.")
            changed = await heard(events, 1)
            await tools.ok("create_task", **WORK)
            created = await heard(events, 1)

    assert set(planned) == {ResourcesListChanged(), ResourceUpdated(f"{task}/plan")}
    assert rewritten == [ResourceUpdated(f"{task}/plan")]
    assert talked == [ResourceUpdated(conversation)]
    assert changed == [ResourceUpdated(task)]
    assert created == [ResourcesListChanged()]


@requirement("mcp:changes")
async def test_an_agent_hears_nothing_of_what_it_does_not_see(plane: Plane) -> None:
    session = await plane.running()
    async with plane.store.read() as state:
        own = await state.task(session.task)
    assert own is not None
    other = await plane.task(own.workspace, *[each.repository for each in own.repositories])
    theirs = (await plane.launched(other.id)).unwrap()
    foreign = f"kandev://tasks/{other.id}"
    uris = [
        foreign,
        f"{foreign}/plan",
        f"{foreign}/sessions/{theirs.id}/conversation",
        f"kandev://tasks/self/sessions/{theirs.id}/conversation",
        "kandev://tasks/self",
    ]
    async with (
        tools_for(plane, OWNER) as people,
        tools_for(plane, agent_of(session)) as tools,
        tools.client.listen(resources_list_changed=True, resource_subscriptions=uris) as told,
    ):
        await people.ok("create_task_plan", task_id=other.id, content="Look.")
        await people.ok("update_task", task_id=other.id, title="Renamed")
        await people.ok("create_task", **WORK)
        await said(plane, theirs, "Hello")
        await people.ok("update_task", task_id=own.id, prompt="Otherwise.")
        first = await heard(aiter(told), 1)

    assert first == [ResourceUpdated("kandev://tasks/self")]


@requirement("mcp:changes")
async def test_the_subscriptions_of_a_client_are_bounded(tools: Tools) -> None:
    uris = [f"kandev://tasks/{number}" for number in range(MAX_SUBSCRIBED + 1)]

    async with tools.client.listen(resource_subscriptions=uris[1:]) as told:
        assert told.honored.resource_subscriptions == uris[1:]
    with pytest.raises(MCPError, match="too_many_subscriptions: "):
        await tools.client.listen(resource_subscriptions=uris).__aenter__()


@requirement("mcp:changes")
async def test_the_streams_of_a_server_are_bounded(tools: Tools) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(MAX_STREAMS - 1):
            await stack.enter_async_context(tools.client.listen(prompts_list_changed=True))
        async with tools.client.listen(prompts_list_changed=True):
            with pytest.raises(MCPError, match="too_many_streams: "):
                await tools.client.listen(prompts_list_changed=True).__aenter__()
        async with asyncio.timeout(60):
            while not await room(tools.client):
                pass


async def room(client: Client) -> bool:
    """Whether the server takes one more: it hears a little later that one has ended."""
    try:
        async with client.listen(prompts_list_changed=True):
            return True
    except MCPError:
        return False


@asynccontextmanager
async def standing(
    plane: Plane, principal: Execution
) -> AsyncIterator[tuple[Client, asyncio.Queue[Any]]]:
    """A client of before 2026-07-28 on a connection of its own, and what it is told."""
    told: asyncio.Queue[Any] = asyncio.Queue()

    async def hear(message: object) -> None:
        told.put_nowait(message)

    server = make_server(plane.container.tools(), INSIDE, lambda _: principal)
    stand(server, plane.container.tools(), principal)
    async with Client(server, mode="legacy", message_handler=hear) as client:
        yield client, told


@requirement("mcp:changes")
async def test_an_older_client_is_told_on_its_standing_connection(plane: Plane) -> None:
    session = await plane.running()
    plan = "kandev://tasks/self/plan"
    written = {"task_id": "self", "content": "Look."}
    async with standing(plane, agent_of(session)) as (client, told), asyncio.timeout(60):
        with pytest.warns(MCPDeprecationWarning, match="resources/subscribe"):
            await client.subscribe_resource(plan)
        await client.call_tool("create_task_plan_kandev", written)
        first = [await told.get(), await told.get()]
        with pytest.warns(MCPDeprecationWarning, match="resources/unsubscribe"):
            await client.unsubscribe_resource(plan)
        await client.call_tool("update_task_plan_kandev", written)
        await client.call_tool("create_task_kandev", {**WORK, "parent_id": "self"})
        last = await told.get()

    assert {type(each) for each in first} == {
        ResourceListChangedNotification,
        ResourceUpdatedNotification,
    }
    assert isinstance(last, ResourceListChangedNotification)
