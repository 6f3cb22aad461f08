"""What each directive does. Every delay ends at once when the turn is cancelled."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from adapters.scripted_agent import mcp_client
from adapters.scripted_agent.peer import Json, Peer
from adapters.scripted_agent.script import Directive

__all__ = ("Cancelled", "Denied", "Player", "Refused")

_RUN_SECONDS = 600.0
_OUTPUT_CHARACTERS = 20_000
_POLL_SECONDS = 0.02


class Cancelled(Exception):  # noqa: N818 -- an outcome of a turn
    """The client cancelled the turn."""


class Denied(Exception):  # noqa: N818 -- an outcome of a turn
    """The client did not allow what the script asks for: the rest is not played."""


class Refused(Exception):  # noqa: N818 -- an outcome of a turn
    """The turn ends with a JSON-RPC error."""


class Player:
    """Plays the directives of one turn in one conversation."""

    def __init__(self, peer: Peer, session: str, directory: Path, servers: Sequence[Json]) -> None:
        self._peer = peer
        self._session = session
        self._directory = directory
        self._servers = servers
        self._calls = 0
        self.cancelled = threading.Event()
        self.late: list[str] = []
        self._actions: Mapping[str, Callable[..., None]] = {
            "message": self._message,
            "thinking": self._thinking,
            "delay": self._delay,
            "plan": self._plan,
            "tool_use": self._tool_use,
            "edit": self._edit,
            "run": self._run,
            "permission": self._permission,
            "wait_for_file": self._wait_for_file,
            "crash": self._crash,
            "fail": self._fail,
            "noise": self._peer.line,
            "stderr": self._stderr,
            "grandchild": self._grandchild,
            "late_message": self.late.append,
            "big_message": self._big_message,
        }

    def play(self, directives: Sequence[Directive]) -> None:
        """Raises `Cancelled`, `Denied` or `Refused` when the turn ends before the script."""
        for name, arguments in directives:
            if self.cancelled.is_set():
                raise Cancelled
            if name.startswith("mcp:"):
                self._mcp(name, *arguments)
                continue
            action = self._actions.get(name)
            if action is None:
                self._message(f"unknown directive {name}; known: {', '.join(self._actions)}")
            else:
                action(*arguments)
        if self.cancelled.is_set():
            raise Cancelled

    def update(self, body: Json) -> None:
        self._peer.notify("session/update", {"sessionId": self._session, "update": body})

    def _message(self, text: str) -> None:
        self.update(chunk("agent_message_chunk", text))

    def _thinking(self, text: str) -> None:
        self.update(chunk("agent_thought_chunk", text))

    def _big_message(self, size: int) -> None:
        self._message("x" * size)

    def _delay(self, milliseconds: float) -> None:
        if self.cancelled.wait(milliseconds / 1000):
            raise Cancelled

    def _plan(self, entries: list[Json]) -> None:
        self.update({"sessionUpdate": "plan", "entries": entries})

    def _tool_use(self, title: str, raw: Json | None = None, kind: str = "other") -> None:
        call = self._begin(title, kind, raw or {})
        self._end(call, "completed", "")

    def _edit(self, path: str, content: str) -> None:
        call = self._begin(f"edit {path}", "edit", {"path": path})
        target = self._directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
        self._end(call, "completed", "")

    def _run(self, command: str) -> None:
        """Run a shell command with the agent's own environment; its output is the tool's."""
        call = self._begin(command, "execute", {"command": command})
        with subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=self._directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            process_group=0,
        ) as process:
            output = self._output_of(process)
        status = process.returncode
        text = output.decode("utf-8", "replace")[-_OUTPUT_CHARACTERS:]
        self._end(call, "completed" if status == 0 else "failed", text, {"exit_code": status})
        if self.cancelled.is_set():
            raise Cancelled

    def _output_of(self, process: "subprocess.Popen[bytes]") -> bytes:
        """Its whole output; a cancelled turn, or the end of its time, ends its group."""
        end = time.monotonic() + _RUN_SECONDS
        while not self.cancelled.is_set() and time.monotonic() < end:
            with suppress(subprocess.TimeoutExpired):
                return process.communicate(timeout=_POLL_SECONDS)[0]
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]

    def _permission(self, title: str) -> None:
        """Ask; go on when it is allowed, else say so and play no more."""
        call = self._begin(title, "execute", {}, status="pending")
        options = [
            {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
            {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
        ]
        params = {
            "sessionId": self._session,
            "toolCall": {"toolCallId": call, "title": title, "kind": "execute"},
            "options": options,
        }
        answer = self._peer.ask("session/request_permission", params, self.cancelled)
        outcome: Any = (answer or {}).get("outcome", {})
        if outcome.get("optionId") == "allow":
            self._end(call, "completed", "")
            return
        self._end(call, "failed", "")
        if self.cancelled.is_set():
            raise Cancelled
        self._message(f"permission denied: {title}")
        raise Denied

    def _wait_for_file(self, path: str) -> None:
        while not (self._directory / path).exists():
            if self.cancelled.wait(_POLL_SECONDS):
                raise Cancelled

    def _crash(self, code: int = 1) -> None:
        os._exit(code)

    def _fail(self, text: str = "the script says so") -> None:
        raise Refused(text)

    def _stderr(self, text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def _grandchild(self, seconds: float = 600) -> None:
        """Leave a process behind that ignores TERM and has left the agent's group."""
        program = "import signal,sys,time; signal.signal(15, signal.SIG_IGN); time.sleep(%r)"
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", program % seconds],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _mcp(self, name: str, arguments: Json | None = None) -> None:
        _, server, tool = name.split(":", 2)
        call = self._begin(f"{server}: {tool}", "other", arguments or {})
        found = next((each for each in self._servers if each.get("name") == server), None)
        if found is None:
            self._end(call, "failed", f"there is no MCP server {server}")
            return
        text, fine = mcp_client.call(found, tool, arguments or {}, self.cancelled)
        self._end(call, "completed" if fine else "failed", text)

    def _begin(self, title: str, kind: str, raw: Json, status: str = "in_progress") -> str:
        self._calls += 1
        call = f"call-{self._calls}"
        self.update({
            "sessionUpdate": "tool_call",
            "toolCallId": call,
            "title": title,
            "kind": kind,
            "status": status,
            "rawInput": raw,
        })
        return call

    def _end(self, call: str, status: str, text: str, raw: Json | None = None) -> None:
        body: Json = {"sessionUpdate": "tool_call_update", "toolCallId": call, "status": status}
        if text:
            body["content"] = [{"type": "content", "content": {"type": "text", "text": text}}]
        if raw is not None:
            body["rawOutput"] = raw
        self.update(body)


def chunk(kind: str, text: str) -> Json:
    return {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
