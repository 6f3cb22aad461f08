"""What an instance hears from its agent, as events in its log, in the order they were said.

An event carries the generation of the turn that runs. What an agent repeats while it loads an
earlier conversation is not news: only its last plan and its commands are kept, once it is loaded.
"""

from collections.abc import Callable
from typing import Final

import msgspec
from typing_extensions import override

from adapters.agentctl.server.acp.transport import Hears
from adapters.agentctl.server.event_log import EventLog
from domain import acp_update, turn_evidence
from domain.acp_update import Memory, Said
from domain.event import EventKind, Json
from domain.failure_reason import worth_retrying
from domain.turn import Ending

__all__ = ("Hearing",)

_UPDATES: Final = msgspec.json.Decoder(dict[str, object])

_NEWS_OF_OLD: Final = frozenset({EventKind.AVAILABLE_COMMANDS, EventKind.PLAN})
"""What is kept of a replay, the last of each: it is about the agent as it is now."""

_NOTHING: Final = Memory()


class Hearing(Hears):
    """One instance's.

    `crowd` is called when the agent has to wait, and when it may go on; `evidence` makes a line of
    noise fit to be kept; `over` hears that nothing more will be heard.
    """

    __slots__ = (
        "_crowd",
        "_evidence",
        "_log",
        "_memory",
        "_news",
        "_over",
        "_replaying",
        "broken_by",
        "generation",
    )

    def __init__(
        self,
        log: EventLog,
        crowd: Callable[[bool], None],
        evidence: Callable[[bytes], str],
        over: Callable[[], None],
    ) -> None:
        self._log = log
        self._crowd = crowd
        self._evidence = evidence
        self._over = over
        self._memory = _NOTHING
        self._replaying = False
        self._news: dict[EventKind, Said] = {}
        self.generation: int | None = None
        self.broken_by: str | None = None

    def record(self, kind: EventKind, body: Json) -> None:
        """Append an event of the running turn; the caller flushes."""
        self._log.append(kind, self.generation, body)

    def begin_turn(self, generation: int) -> None:
        self.generation = generation
        self.record(EventKind.TURN_STARTED, {})

    def end_turn(self, ending: Ending) -> None:
        """Cancel what the turn left running, and record its one ending."""
        heard = acp_update.end_turn(self._memory)
        self._memory = heard.memory
        self._say(heard.said)
        body: Json = {
            "state": ending.state.value,
            "stop_reason": ending.stop_reason,
            "error": ending.error,
            "evidence": turn_evidence.to_json(ending.evidence),
        }
        if ending.reason is not None:
            body["reason"] = ending.reason.value
            body["retryable"] = worth_retrying(ending.reason)
        self.record(EventKind.COMPLETE, body)
        self.generation = None

    def begin_replay(self) -> None:
        self._replaying, self._news = True, {}

    @override
    def update(self, update: msgspec.Raw) -> None:
        try:
            decoded = _UPDATES.decode(update)
        except msgspec.DecodeError:
            self.noise(bytes(update))
            return
        heard = acp_update.hear(decoded, self._memory)
        self._memory = heard.memory
        if self._replaying:
            self._hear_again(heard.said)
        else:
            self._say(heard.said)

    @override
    def answered(self, method: str, *, refused: bool) -> None:
        if method != "session/load":
            return
        news, self._news = self._news, {}
        self._replaying = False
        self._memory = Memory() if refused else Memory(window=self._memory.window)
        if not refused:
            self._say(tuple(news.values()))

    @override
    def noise(self, line: bytes) -> None:
        body: Json = {"reason": "no_message", "text": self._evidence(line), "bytes": len(line)}
        self.record(EventKind.NOISE, body)

    @override
    def notified(self, method: str) -> None:
        body: Json = {"reason": "unknown_notification", "text": self._evidence(method.encode())}
        self.record(EventKind.NOISE, body)

    @override
    def broken(self, reason: str) -> None:
        self.broken_by = reason
        self._over()

    @override
    def ended(self) -> None:
        self._over()

    @override
    def crowded(self, crowded: bool) -> None:
        self._crowd(crowded)

    def _hear_again(self, said: tuple[Said, ...]) -> None:
        self._news.update((each.kind, each) for each in said if each.kind in _NEWS_OF_OLD)

    def _say(self, said: tuple[Said, ...]) -> None:
        for event in said:
            self.record(event.kind, event.body)
