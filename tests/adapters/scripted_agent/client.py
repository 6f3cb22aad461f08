"""A client of the agent, line by line; every message it gets is held to the official schema."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from acp import schema

Json = dict[str, Any]
WAIT = 20.0


class Client:
    def __init__(
        self, directory: Path, *flags: str, environment: Mapping[str, str] | None = None
    ) -> None:
        self.directory = directory
        self.noise: list[str] = []
        self.updates: list[Json] = []
        self.asked: list[Json] = []
        self._next = 0
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-m", "adapters.scripted_agent", *flags],
            cwd=directory,
            env={"PATH": os.environ["PATH"], **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._reader = threading.Thread(target=self._read)

    def __enter__(self) -> Self:
        self._reader.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self.process:
            assert self.process.stdin is not None
            if kind is not None:
                self.process.kill()
            self.process.stdin.close()
            self.process.wait(WAIT)
            self._reader.join()

    def send(self, method: str, params: Json) -> int:
        self._next += 1
        self._write({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def cancel(self, session: str) -> None:
        params = {"sessionId": session}
        self._write({"jsonrpc": "2.0", "method": "session/cancel", "params": params})

    def answer(self, request: Json, result: Json) -> None:
        self._write({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def receive(self) -> Json | None:
        """The next message, None at the end; updates and questions are kept as well."""
        while True:
            line = self._lines.get(timeout=WAIT)
            if not line:
                return None
            try:
                message: Json = json.loads(line)
            except ValueError:
                self.noise.append(line.decode())
                continue
            if message.get("method") == "session/update":
                schema.SessionNotification.model_validate(message["params"])
                self.updates.append(message["params"]["update"])
            elif message.get("method") == "session/request_permission":
                schema.RequestPermissionRequest.model_validate(message["params"])
                self.asked.append(message)
            return message

    def result(self, number: int) -> Json:
        """The answer to a request of ours, whole; updates before it are kept."""
        while message := self.receive():
            if message.get("id") == number and "method" not in message:
                return message
        raise AssertionError("the agent ended without an answer")

    def initialize(self) -> Json:
        params = {"protocolVersion": 1, "clientCapabilities": {}}
        answer = self.result(self.send("initialize", params))
        schema.InitializeResponse.model_validate(answer["result"])
        return answer

    def open(self, servers: Sequence[Json] = ()) -> str:
        self.initialize()
        params = {"cwd": str(self.directory), "mcpServers": list(servers)}
        answer = self.result(self.send("session/new", params))
        schema.NewSessionResponse.model_validate(answer["result"])
        return str(answer["result"]["sessionId"])

    def prompt(self, session: str, text: str) -> int:
        params = {"sessionId": session, "prompt": [{"type": "text", "text": text}]}
        return self.send("session/prompt", params)

    def turn(self, session: str, *directives: str) -> Json:
        """Play a script; the answer to the prompt."""
        answer = self.result(self.prompt(session, "\n".join(["e2e:", *directives])))
        if "result" in answer:
            schema.PromptResponse.model_validate(answer["result"])
        return answer

    def texts(self, kind: str = "agent_message_chunk") -> list[str]:
        return [each["content"]["text"] for each in self.updates if each["sessionUpdate"] == kind]

    def stderr(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def _write(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")
