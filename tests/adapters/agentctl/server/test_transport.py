"""The transport between an agent's stdio and the SDK: what goes where, and in which order."""

import asyncio
import json
from typing import Any

import msgspec
import pytest

from adapters.agentctl.server.acp.transport import AgentTransport
from domain.agent_bounds import AgentBounds
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

BOUNDS = AgentBounds(line=1000, noise_lines=3, requests=2)


class Heard:
    """Everything that was heard, in order."""

    def __init__(self) -> None:
        self.said: list[tuple[str, Any]] = []

    def update(self, update: msgspec.Raw) -> None:
        self.said.append(("update", bytes(update)))

    def answered(self, method: str, *, refused: bool) -> None:
        self.said.append(("refused" if refused else "answered", method))

    def noise(self, line: bytes) -> None:
        self.said.append(("noise", line))

    def notified(self, method: str) -> None:
        self.said.append(("notified", method))

    def broken(self, reason: str) -> None:
        self.said.append(("broken", reason))

    def ended(self) -> None:
        self.said.append(("ended", None))

    def crowded(self, crowded: bool) -> None:
        self.said.append(("crowded", crowded))


class Line:
    """One transport with what it wrote and what it told."""

    def __init__(self) -> None:
        self.heard = Heard()
        self.written: list[dict[str, Any]] = []
        self.transport = AgentTransport(self._write, self.heard, BOUNDS)

    async def _write(self, data: bytes) -> None:
        assert data.endswith(b"\n")
        self.written.append(json.loads(data))

    def say(self, *messages: dict[str, Any] | bytes) -> None:
        lines = [
            each if isinstance(each, bytes) else json.dumps(each).encode() for each in messages
        ]
        self.transport.feed(b"".join(line + b"\n" for line in lines))


def _update(number: int) -> dict[str, Any]:
    return {"method": "session/update", "params": {"sessionId": "s", "update": {"n": number}}}


@requirement("agentctl:protocol:order")
async def test_an_answer_is_announced_between_the_updates_around_it() -> None:
    line = Line()
    await line.transport.send({"jsonrpc": "2.0", "id": 7, "method": "session/prompt"})

    line.say(_update(1), {"id": 0, "result": {}}, _update(2), {"id": 0, "result": {}})

    assert line.heard.said == [
        ("update", b'{"n": 1}'),
        ("answered", "session/prompt"),
        ("update", b'{"n": 2}'),
    ]
    assert await line.transport.receive() == {"id": 7, "result": {}}


async def test_a_second_connection_asks_under_numbers_of_its_own() -> None:
    line = Line()
    for _ in range(2):
        await line.transport.send({"jsonrpc": "2.0", "id": 0, "method": "session/prompt"})

    line.say({"id": 1, "result": {"second": True}})

    assert [each["id"] for each in line.written] == [0, 1]
    assert await line.transport.receive() == {"id": 0, "result": {"second": True}}


async def test_a_connection_is_dismissed_once_nothing_is_under_way() -> None:
    line = Line()
    async with asyncio.TaskGroup() as group:
        first = group.create_task(line.transport.receive())
        await line.transport.send({"jsonrpc": "2.0", "id": 0, "method": "session/prompt"})
        await asyncio.sleep(0)
        while_asking = line.transport.dismiss()
        line.say({"id": 0, "result": {}})
        await first
        second = group.create_task(line.transport.receive())
        await asyncio.sleep(0)
        line.say({"id": "a", "method": "fs/read_text_file"})
        await second
        third = group.create_task(line.transport.receive())
        await asyncio.sleep(0)
        while_asked = line.transport.dismiss()
        await line.transport.send({"jsonrpc": "2.0", "id": "a", "result": None})
        afterwards = line.transport.dismiss()

    assert (while_asking, while_asked, afterwards) == (False, False, True)
    assert third.result() is None


async def test_what_comes_while_no_connection_listens_calls_for_one_and_waits_for_it() -> None:
    line, calls = Line(), []
    line.transport.called = lambda: calls.append("called")

    line.say(_update(1))
    before = list(calls)
    line.say({"id": "a", "method": "fs/read_text_file"})

    assert (before, calls) == ([], ["called"])
    assert await line.transport.receive() == {"id": "a", "method": "fs/read_text_file"}


@requirement("agentctl:protocol:requests")
async def test_too_many_requests_hold_the_agent_back_until_one_is_answered() -> None:
    line = Line()

    line.say({"id": "a", "method": "fs/read_text_file"})
    alone = list(line.heard.said)
    line.say({"id": "b", "method": "fs/read_text_file"})
    await line.transport.send({"jsonrpc": "2.0", "id": "a", "result": None})

    assert alone == []
    assert line.heard.said == [("crowded", True), ("crowded", False)]


@requirement("agentctl:protocol:requests")
async def test_only_requests_and_answers_to_ours_reach_the_sdk() -> None:
    line = Line()

    line.say(
        {"method": "of/the_future", "params": {}},
        {"id": 99, "result": {}},
        {"id": "a", "method": "x", "params": {"b": 1, "_meta": {"b": 2}}},
    )

    assert line.heard.said == [("notified", "of/the_future")]
    assert await line.transport.receive() == {"id": "a", "method": "x", "params": {"b": 1}}


@requirement("agentctl:protocol:noise")
async def test_noise_is_counted_in_a_row() -> None:
    line = Line()

    line.say(b"npm", b"npm", b"npm", _update(1), b"npm", b"npm", b"npm")
    tolerated = [name for name, _ in line.heard.said]
    line.say(b"npm", _update(2))

    assert tolerated == ["noise"] * 3 + ["update"] + ["noise"] * 3
    assert [name for name, _ in line.heard.said[7:]] == ["noise", "broken"]
    assert await line.transport.receive() is None


@requirement("agentctl:protocol:broken")
async def test_a_damaged_message_breaks_the_protocol_at_once_and_is_kept() -> None:
    line = Line()
    cut = b'{"jsonrpc": "2.0", "id": 1, "result": '

    line.say(_update(1), cut, _update(2))

    assert line.heard.said[1:] == [("noise", cut), ("broken", line.heard.said[-1][1])]
    assert await line.transport.receive() is None


@requirement("agentctl:protocol:broken")
async def test_a_message_that_the_end_of_the_agent_cut_off_is_noise() -> None:
    line = Line()

    line.transport.feed(b'{"jsonrpc": "2.0", "id": 1, "result": ')
    line.transport.feed(b"")

    assert [name for name, _ in line.heard.said] == ["noise", "ended"]


@requirement("agentctl:protocol:lines")
async def test_a_message_that_is_too_long_breaks_the_protocol_after_those_before_it() -> None:
    line = Line()

    line.say(_update(1), b"x" * 1001, _update(2))

    assert [name for name, _ in line.heard.said] == ["update", "broken"]
    assert await line.transport.receive() is None


@requirement("agentctl:protocol:order")
@pytest.mark.parametrize("rest", [b"", json.dumps(_update(1)).encode()])
async def test_the_end_is_told_once_and_after_a_last_line_without_a_break(rest: bytes) -> None:
    line = Line()

    if rest:
        line.transport.feed(rest)
    line.transport.feed(b"")
    line.transport.feed(b"")

    assert line.heard.said == [*([("update", b'{"n": 1}')] if rest else []), ("ended", None)]
    assert await line.transport.receive() is None


@requirement("agentctl:protocol:noise")
async def test_blank_lines_are_nothing() -> None:
    line = Line()

    line.say(b"", b"  ", b"\r", _update(1))

    assert [name for name, _ in line.heard.said] == ["update"]
