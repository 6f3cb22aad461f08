"""JSON-RPC 2.0 over stdio, one JSON object a line, as the Agent Client Protocol has it."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

__all__ = ("Json", "Peer")

Json = dict[str, Any]  # messages of a protocol, read by key


class Peer:
    """The agent's end of the pipe. Writing is safe from any thread."""

    def __init__(self) -> None:
        self._writing = threading.Lock()
        self._waiting: dict[int, tuple[threading.Event, list[Json]]] = {}
        self._next = 0

    def messages(self) -> Iterator[Json]:
        """Requests and notifications of the client, until it closes the pipe."""
        for line in sys.stdin.buffer:
            message = json.loads(line)
            if "method" in message:
                yield message
            else:
                self._hand_over(message)

    def line(self, text: str) -> None:
        """Write a line as it is, JSON or not; nobody hears it once the client has gone."""
        with self._writing, suppress(BrokenPipeError):
            sys.stdout.buffer.write(text.encode() + b"\n")
            sys.stdout.buffer.flush()

    def notify(self, method: str, params: Json) -> None:
        self.line(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def respond(self, request: Json, result: Json) -> None:
        self.line(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}))

    def fail(self, request: Json, code: int, text: str) -> None:
        error = {"code": code, "message": text}
        self.line(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}))

    def ask(self, method: str, params: Json, given_up: threading.Event) -> Json | None:
        """A request to the client and its result; None once `given_up` is set."""
        with self._writing:
            self._next += 1
            number = self._next
            answered: tuple[threading.Event, list[Json]] = (threading.Event(), [])
            self._waiting[number] = answered
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.line(json.dumps(request))
        while not answered[0].wait(0.02):
            if given_up.is_set():
                return None
        result = answered[1][0].get("result")
        return result if isinstance(result, dict) else None

    def _hand_over(self, answer: Json) -> None:
        waiting = self._waiting.pop(int(answer["id"]), None)
        if waiting is not None:
            waiting[1].append(answer)
            waiting[0].set()
