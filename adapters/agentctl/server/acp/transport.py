"""The SDK's transport over an agent's stdio, and the fork in the road before it.

Updates go to the instance at once, in the order they came; requests and answers go to the SDK. An
answer is announced to the instance in the same order, so whatever the agent said before it has
been heard by then: that is the barrier before a turn is complete.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, Protocol

import msgspec
from typing_extensions import override

from adapters.agentctl.server.acp.inbox import Inbox
from adapters.agentctl.server.acp.lines import Lines, LineTooLongError, split
from adapters.agentctl.server.acp.messages import Broken, Message, Update, read, read_updates
from domain.agent_bounds import AgentBounds

__all__ = ("AgentTransport", "Hears")

_ENCODER: Final = msgspec.json.Encoder()


class Hears(Protocol):
    """Who is told what the agent says. Every call is made in the order of the agent's stdout."""

    __slots__ = ()

    def update(self, update: msgspec.Raw) -> None: ...

    def answered(self, method: str, *, refused: bool) -> None:
        """The request `method` of ours was answered; what follows was said after the answer."""
        ...

    def noise(self, line: bytes) -> None:
        """A line that is no message."""
        ...

    def notified(self, method: str) -> None:
        """A notification that nobody serves."""
        ...

    def broken(self, reason: str) -> None:
        """The agent does not keep to the protocol; nothing more of it is heard."""
        ...

    def ended(self) -> None:
        """Its stdout has ended."""
        ...

    def crowded(self, crowded: bool) -> None:
        """Whether too many requests of the agent's wait for their answers to read on."""
        ...


class Transport(Protocol):
    """What the SDK asks of a transport; its messages are decoded JSON objects."""

    __slots__ = ()

    async def send(self, message: dict[str, Any]) -> None: ...  # the SDK's own type

    async def receive(self) -> dict[str, Any] | None: ...  # the SDK's own type

    async def close(self) -> None: ...


class _Asked(NamedTuple):
    """A request of ours that has no answer yet; `identity` is the SDK's own for it."""

    method: str
    identity: int


def _nobody() -> None:
    """Nobody is called."""


class AgentTransport(Transport):
    """One agent's stdio. `feed` takes its stdout, piece by piece; empty says that it ended.

    It outlives the connections that the SDK makes over it, one after the other: requests are
    numbered here, so that no agent is asked twice under one id. `called` hears of each message
    that a connection is needed for.
    """

    __slots__ = (
        "_asked",
        "_bounds",
        "_hears",
        "_incoming",
        "_lines",
        "_noise",
        "_number",
        "_open_requests",
        "_over",
        "_write",
        "_writing",
        "called",
    )

    def __init__(
        self,
        write: Callable[[bytes], Awaitable[None]],
        hears: Hears,
        bounds: AgentBounds,
    ) -> None:
        self._write = write
        self._hears = hears
        self._bounds = bounds
        self._lines = Lines(bounds.line)
        self._incoming = Inbox()
        self._asked: dict[int, _Asked] = {}
        self._number = 0
        self._open_requests = 0
        self._noise = 0
        self._over = False
        self._writing = asyncio.Lock()
        self.called: Callable[[], None] = _nobody

    def feed(self, data: bytes) -> None:
        if self._over:
            return
        if not data:
            self._finish()
            return
        try:
            block = self._lines.feed(data)
        except LineTooLongError as too_long:
            for line in too_long.lines:
                self._route(line)
            self._break(f"it wrote a line of more than {self._bounds.line} bytes")
            return
        updates = read_updates(block)
        if updates is None:
            for line in split(block):
                self._route(line)
        elif updates:
            self._noise = 0
            for each in updates:
                self._hears.update(each.update)

    @override
    async def send(self, message: dict[str, Any]) -> None:
        identity, method = message.get("id"), message.get("method")
        if method is None:
            self._answered_one()
        elif isinstance(identity, int):
            message = {**message, "id": self._number}
            self._asked[self._number] = _Asked(method, identity)
            self._number += 1
        async with self._writing:
            await self._write(_ENCODER.encode(message) + b"\n")

    @override
    async def receive(self) -> dict[str, Any] | None:
        return await self._incoming.take()

    @override
    async def close(self) -> None:
        """The stdio belongs to the process's owner, who ends it."""

    def dismiss(self) -> bool:
        """Let the connection go that waits for a message, unless something is under way."""
        busy = self._asked or self._open_requests or self._writing.locked()
        if busy or self._over or not self._incoming.dismiss():
            return False
        # One that was emptied keeps the room that it had.
        self._asked = {}
        return True

    def _route(self, line: bytes, *, whole: bool = True) -> None:
        if self._over or not line.strip():
            return
        match read(line):
            case Update(update=update):
                self._noise = 0
                self._hears.update(update)
            case Message() as message:
                self._noise = 0
                self._pass_on(message)
            case Broken() if whole:
                self._hears.noise(line)
                self._break("it wrote a message that is cut off or damaged")
            case Broken() | None:
                self._noise += 1
                self._hears.noise(line)
                if self._noise > self._bounds.noise_lines:
                    self._break("it wrote too many lines that are no message")

    def _pass_on(self, message: Message) -> None:
        decoded = message.decoded
        if message.answers is not None:
            asked = self._asked.pop(message.answers, None)
            if asked is None:
                return
            self._hears.answered(asked.method, refused=decoded.get("error") is not None)
            decoded["id"] = asked.identity
        elif "id" in decoded:
            self._count_request()
            params = decoded.get("params")
            if isinstance(params, dict):
                # The SDK would pass its members on as arguments of the same name.
                params.pop("_meta", None)
        else:
            self._hears.notified(decoded["method"])
            return
        self._incoming.put(decoded)
        self.called()

    def _count_request(self) -> None:
        self._open_requests += 1
        if self._open_requests == self._bounds.requests:
            self._hears.crowded(True)

    def _answered_one(self) -> None:
        self._open_requests -= 1
        if self._open_requests == self._bounds.requests - 1:
            self._hears.crowded(False)

    def _finish(self) -> None:
        rest = self._lines.rest()
        self._route(rest, whole=False)
        if not self._over:
            self._over = True
            self._incoming.put(None)
            self._hears.ended()

    def _break(self, reason: str) -> None:
        if not self._over:
            self._over = True
            self._incoming.put(None)
            self._hears.broken(reason)
