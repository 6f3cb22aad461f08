"""The socket for tools: a real socket and relay between a client and the door of a test."""

import asyncio
import json
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from adapters.agentctl import process_stat
from adapters.agentctl.server.descent import Families
from adapters.agentctl.server.dialogue import Dialogue
from adapters.agentctl.server.tool_sockets import OpenToolSocket, ToolSockets
from adapters.agentctl.server.tools.directory import ManagedTools
from adapters.git.process import LocalGit
from adapters.process.spawn import LocalProcesses
from domain.broker_bounds import BrokerBounds
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId
from domain.tool_bounds import MAX_CALLS, MAX_CONNECTIONS, MAX_MESSAGE_BYTES
from tests.adapters.agentctl.broker.conftest import run
from tests.adapters.agentctl.broker.line import OURS, Line, line_of
from tests.eventually import eventually
from tests.fakes.redactor import ListingRedactor
from tests.requirements import requirement

Json = dict[str, Any]


def asked(number: int, method: str = "tools/list", **more: object) -> Json:
    return {"jsonrpc": "2.0", "id": number, "method": method, **more}


def answer(number: int, method: str = "tools/list") -> Json:
    return {"jsonrpc": "2.0", "id": number, "result": {"to": method}}


def line(message: Json) -> bytes:
    return json.dumps(message).encode()


@dataclass
class Client:
    """Speaks lines of JSON on a socket."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def say(self, *messages: object) -> None:
        self.writer.writelines(json.dumps(each).encode() + b"\n" for each in messages)
        await self.writer.drain()

    async def hear(self) -> Json:
        async with asyncio.timeout(20):
            heard: Json = json.loads(await self.reader.readuntil(b"\n"))
        return heard

    async def ended(self) -> bool:
        async with asyncio.timeout(20):
            return await self.reader.read(1) == b""


@dataclass
class Inside:
    """agentctl's side of the tools, with instances and their clients."""

    line: Line
    sockets: ToolSockets
    families: Families
    opened: list[OpenToolSocket] = field(default_factory=list)
    clients: list[Client] = field(default_factory=list)

    async def instance(self, execution: ExecutionId = OURS) -> OpenToolSocket:
        opened = await self.sockets.open(Handle(execution, TaskId("t1"), SessionId("s1")))
        self.opened.append(opened)
        return opened

    async def client(self, opened: OpenToolSocket) -> Client:
        reader, writer = await asyncio.open_unix_connection(
            opened.path, limit=2 * MAX_MESSAGE_BYTES
        )
        self.clients.append(Client(reader, writer))
        return self.clients[-1]


@asynccontextmanager
async def inside_of(home: Path, bounds: BrokerBounds) -> AsyncIterator[Inside]:
    runtime = home / "run"
    runtime.mkdir(mode=0o700)
    git = LocalGit(LocalProcesses(None), ListingRedactor())
    families = Families()
    async with (
        line_of(bounds) as line,
        ManagedTools(home / "tools", git, os.environ["PATH"]) as tools,
    ):
        made = Inside(line, ToolSockets(runtime, tools, families, line.relay), families)
        try:
            yield made
        finally:
            for client in made.clients:
                client.writer.close()
            for opened in made.opened:
                await opened.close()


@pytest.fixture
async def inside(home: Path) -> AsyncIterator[Inside]:
    async with inside_of(home, BrokerBounds(restart=20.0)) as opened:
        yield opened


@requirement("mcp:inside")
@pytest.mark.anyio
async def test_the_bridge_is_started_by_absolute_paths_and_carries_both_ways(
    inside: Inside,
) -> None:
    inside.line.attend()
    opened = await inside.instance()
    command, *words = [opened.server.command, *opened.server.arguments]
    process = await asyncio.create_subprocess_exec(
        command, *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env={}
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(asked(1, "ping")).encode() + b"\n")
    async with asyncio.timeout(20):
        answered = json.loads(await process.stdout.readline())
        process.stdin.close()
        status = await process.wait()

    assert (answered, status) == (answer(1, "ping"), 0)
    assert (command, words[:2], words[3]) == (sys.executable, ["-I", "-S"], opened.path)
    assert all(Path(each).is_absolute() for each in (command, *words[2:]))
    assert stat.S_IMODE(Path(opened.path).stat().st_mode) == 0o600
    assert inside.line.tools.came == [OURS]


@requirement("mcp:inside")
@pytest.mark.anyio
async def test_a_bridge_without_its_socket_ends_with_a_failure(inside: Inside) -> None:
    opened = await inside.instance()
    await opened.close()
    inside.opened.clear()

    ended = await run([opened.server.command, *opened.server.arguments], {})

    assert (ended.status, ended.stdout, ended.stderr) == (1, "", "")


@requirement("mcp:inside")
@pytest.mark.anyio
async def test_a_client_of_another_instance_is_turned_away(inside: Inside) -> None:
    opened = await inside.instance()
    here = process_stat.ourselves()
    inside.families.admit(ExecutionId("e2"), *here)

    with capture_logs() as logs:
        client = await inside.client(opened)
        assert await client.ended()

    assert [each["event"] for each in logs] == ["tools_asked_from_outside"]
    assert inside.line.tools.came == []


@requirement("mcp:inside")
@pytest.mark.anyio
async def test_an_execution_that_the_control_plane_did_not_make_is_not_served(
    inside: Inside,
) -> None:
    inside.line.attend()
    client = await inside.client(await inside.instance(ExecutionId("e2")))
    await client.say(asked(1))

    assert (await client.hear())["error"]["message"].startswith("control_plane_absent: ")
    assert inside.line.tools.came == []


@requirement("mcp:inside-restart")
@pytest.mark.anyio
async def test_a_call_under_way_ends_with_an_error_and_the_client_is_greeted_for_again(
    inside: Inside,
) -> None:
    tools = inside.line.tools
    first = inside.line.connect()
    client = await inside.client(await inside.instance())
    await client.say(asked(1, "initialize", params={"protocolVersion": "2025-06-18"}))
    assert await client.hear() == answer(1, "initialize")
    tools.open.clear()
    await client.say(asked(2))
    await eventually(lambda: len(tools.heard) == 2)

    first.cancel()
    broken = await client.hear()
    tools.open.set()
    inside.line.attend(2)
    await client.say(asked(3))

    assert (broken["id"], broken["error"]["code"]) == (2, -32000)
    assert broken["error"]["message"].startswith("control_plane_away: ")
    assert await client.hear() == answer(3)
    assert tools.heard[2:] == ["initialize", "notifications/initialized", "tools/list"]


@requirement("mcp:inside-restart")
@pytest.mark.anyio
async def test_a_call_that_no_control_plane_takes_ends_in_time(home: Path) -> None:
    async with inside_of(home, BrokerBounds(restart=0.05)) as inside:
        client = await inside.client(await inside.instance())
        await client.say(asked(1))

        assert (await client.hear())["error"]["message"].startswith("control_plane_absent: ")


@requirement("mcp:inside-restart")
@pytest.mark.parametrize("way", ["fail", "end"])
@pytest.mark.anyio
async def test_a_server_that_ends_takes_its_calls_with_it_and_the_next_one_serves(
    inside: Inside, way: str
) -> None:
    inside.line.attend()
    client = await inside.client(await inside.instance())
    with capture_logs() as logs:
        await client.say(asked(1, way))
        broken = await client.hear()
    await client.say(asked(2))

    assert (broken["id"], "error" in broken) == (1, True)
    assert [each["event"] for each in logs] == (["tools_failed"] if way == "fail" else [])
    assert await client.hear() == answer(2)
    assert inside.line.tools.came == [OURS, OURS]


@requirement("mcp:inside-bounds")
@pytest.mark.anyio
async def test_a_client_that_leaves_ends_its_server(inside: Inside) -> None:
    inside.line.attend()
    client = await inside.client(await inside.instance())
    await client.say(asked(1))
    await client.hear()
    assert inside.line.tools.here == 1

    client.writer.close()

    await eventually(lambda: inside.line.tools.here == 0)


@requirement("mcp:inside-bounds")
@pytest.mark.anyio
async def test_clients_over_the_bound_are_turned_away(inside: Inside) -> None:
    inside.line.attend()
    opened = await inside.instance()
    clients = [await inside.client(opened) for _ in range(MAX_CONNECTIONS)]
    for client in clients:
        await client.say(asked(1))
        await client.hear()

    with capture_logs() as logs:
        one_more = await inside.client(opened)
        assert await one_more.ended()

    assert [each["event"] for each in logs] == ["too_many_tool_clients"]


@requirement("mcp:inside-bounds")
@pytest.mark.anyio
async def test_a_message_over_the_bound_ends_its_client(inside: Inside) -> None:
    inside.line.attend()
    opened = await inside.instance()
    client, other = await inside.client(opened), await inside.client(opened)
    frame = len(json.dumps(asked(1, "ping", params="")))

    await client.say(asked(1, "ping", params="x" * (MAX_MESSAGE_BYTES - frame)))
    assert (await client.hear())["id"] == 1
    await other.say(asked(1, "ping", params="x" * (MAX_MESSAGE_BYTES - frame + 1)))

    assert (await other.hear())["error"]["code"] == -32600
    assert await other.ended()


@requirement("mcp:inside-bounds")
def test_calls_over_the_bound_are_refused_until_one_is_answered() -> None:
    dialogue = Dialogue()
    taken = [dialogue.hear(line(asked(number))) for number in range(MAX_CALLS)]

    refused = dialogue.hear(line(asked(1000)))
    told = dialogue.hear(line({"jsonrpc": "2.0", "method": "notifications/progress"}))
    dialogue.say(line(answer(7)))

    assert (set(taken), told) == ({None}, None)
    assert refused is not None
    assert json.loads(refused)["error"]["message"].startswith("too_many_calls: ")
    assert dialogue.hear(line(asked(1001))) is None


@requirement("mcp:inside-bounds")
def test_a_call_that_was_cancelled_waits_for_no_answer() -> None:
    dialogue = Dialogue()
    dialogue.hear(line(asked(1)))
    dialogue.hear(line(asked(2)))
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    dialogue.hear(line(cancelled))

    assert [json.loads(each)["id"] for each in dialogue.unanswered("gone")] == [2]


def test_a_greeting_is_said_again_once_it_was_answered_and_its_answer_is_not_heard_again() -> None:
    dialogue = Dialogue()
    greeting = line(asked(1, "initialize"))
    dialogue.hear(greeting)
    assert list(dialogue.again()) == []
    assert dialogue.say(line(answer(1)))

    said = list(dialogue.again())

    assert [json.loads(each)["method"] for each in said] == [
        "initialize",
        "notifications/initialized",
    ]
    assert not dialogue.say(line(answer(1)))
    assert dialogue.say(line(answer(1)))


@requirement("mcp:inside-bounds")
@pytest.mark.anyio
async def test_a_client_that_does_not_read_slows_its_own_server_alone(inside: Inside) -> None:
    tools = inside.line.tools
    inside.line.attend()
    opened = await inside.instance()
    idle, other = await inside.client(opened), await inside.client(opened)
    size = idle.writer.get_extra_info("socket")
    size.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    idle.reader._limit = 1  # type: ignore[attr-defined]  # so that the client's own end reads nothing on
    long = "x" * 1_000_000
    say = asyncio.create_task(idle.say(*(asked(number, params=long) for number in range(20))))
    await eventually(lambda: len(tools.heard) >= 1)

    await other.say(asked(1))

    assert (await other.hear())["id"] == 1
    assert len(tools.heard) < 15
    say.cancel()
    await asyncio.wait({say})


@requirement("mcp:inside-bounds")
@pytest.mark.parametrize(
    ("nonsense", "code"),
    [(b"{", -32700), (b"[]", -32600), (b'{"id":[],"method":"a"}', -32600), (b"\xff", -32700)],
)
@pytest.mark.anyio
async def test_nonsense_is_answered_here_and_reaches_nobody(
    inside: Inside, nonsense: bytes, code: int
) -> None:
    inside.line.attend()
    client = await inside.client(await inside.instance())
    client.writer.write(nonsense + b"\n\n")
    await client.say(asked(1))

    assert (await client.hear())["error"]["code"] == code
    assert await client.hear() == answer(1)
    assert len(inside.line.tools.heard) == 1
