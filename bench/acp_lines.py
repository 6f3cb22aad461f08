"""Lines of an agent, decoded and routed, beside `json.loads` of each."""

import gc
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
from typing_extensions import override

from adapters.agentctl.server.acp.transport import AgentTransport, Hears
from bench.harness import Benchmark, Measure, Pair
from domain.agent_bounds import AgentBounds
from domain.event import Json

__all__ = ("BENCHMARKS",)

TIMES: Final = 100
"""What was just read from a pipe is in the processor's cache, so the stream is short."""
REPEATED: Final = 10
PIECE: Final = 64 * 1024
"""What a pipe gives at once."""


class Deaf(Hears):
    """Counts what it hears, so that nothing but the way to it is measured."""

    def __init__(self) -> None:
        self.heard = 0

    @override
    def update(self, update: msgspec.Raw) -> None:
        self.heard += 1

    @override
    def answered(self, method: str, *, refused: bool) -> None: ...

    @override
    def noise(self, line: bytes) -> None: ...

    @override
    def notified(self, method: str) -> None: ...

    @override
    def broken(self, reason: str) -> None: ...

    @override
    def ended(self) -> None: ...

    @override
    def crowded(self, crowded: bool) -> None: ...


@contextmanager
def _lines() -> Iterator[Pair]:
    stream = b"".join(_line(update) for _ in range(TIMES) for update in UPDATES)
    pieces = [stream[start : start + PIECE] for start in range(0, len(stream), PIECE)]
    lines = stream.splitlines()

    def ours() -> None:
        hears = Deaf()
        transport = AgentTransport(_unwritten, hears, AgentBounds())
        for piece in pieces:
            transport.feed(piece)
        assert hears.heard == len(lines)

    def plain() -> None:
        for line in lines:
            json.loads(line)

    yield Pair(_processor(ours), _processor(plain))


def _processor(action: Callable[[], None]) -> Measure:
    """Seconds of the processor, which a busy machine lengthens less than those of the clock."""

    def measure() -> float:
        gc.disable()
        try:
            begun = time.process_time()
            for _ in range(REPEATED):
                action()
            return time.process_time() - begun
        finally:
            gc.enable()

    return measure


async def _unwritten(_: bytes) -> None: ...


def _chunk(text: str) -> Json:
    content = {"type": "text", "text": text}
    return {"sessionUpdate": "agent_message_chunk", "content": content}


def _tool_call() -> Json:
    place = "/home/me/project/packages/shop/source/module.py"
    edits = [
        {"path": place, "line": line, "old": f"total = {line}", "new": f"total = {line + 1}"}
        for line in range(8)
    ]
    return {
        "sessionUpdate": "tool_call",
        "toolCallId": "call_0197f1c2",
        "title": "Edit module.py",
        "kind": "edit",
        "status": "in_progress",
        "locations": [{"path": place, "line": each["line"]} for each in edits],
        "rawInput": {"edits": edits, "reason": "the totals were off by one"},
    }


def _output() -> Json:
    lines = [f"tests/test_{number}.py::test_it_adds_up PASSED" for number in range(90)]
    content = {"type": "content", "content": {"type": "text", "text": "\n".join(lines)}}
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "call_0197f1c2",
        "status": "completed",
        "content": [content],
    }


WORDS: Final = ("I will look at ", "how the totals are computed, ", "then change them.\n")
UPDATES: Final = (*map(_chunk, WORDS), _tool_call(), _output())
"""A few chunks of a message, a call of a tool, and what the tool printed."""


def _line(update: Json) -> bytes:
    params = {"sessionId": "0197f1c2-session", "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


BENCHMARKS: Final = (Benchmark("acp.lines", 1 / 5, _lines, rounds=15),)
