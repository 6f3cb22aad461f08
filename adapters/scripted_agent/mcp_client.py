"""One tool call on an MCP server over stdio: start it, initialize, call, end it."""

import json
import os
import subprocess
import threading
import time
from contextlib import suppress
from typing import Any

__all__ = ("call",)

_PROTOCOL = "2025-06-18"
_END_SECONDS = 5.0
_CALL_SECONDS = 600.0
_POLL_SECONDS = 0.05

Json = dict[str, Any]  # messages of a protocol, read by key


def call(server: Json, tool: str, arguments: Json, given_up: threading.Event) -> tuple[str, bool]:
    """The text of the result, and whether the call succeeded."""
    environment = dict(os.environ)
    environment.update({each["name"]: each["value"] for each in server.get("env", [])})
    with subprocess.Popen(
        [server["command"], *server.get("args", [])],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        ending = threading.Thread(target=_end_when, args=(process, given_up), daemon=True)
        ending.start()
        try:
            return _talk(process, tool, arguments)
        except (OSError, ValueError, KeyError) as error:
            return f"the MCP server did not answer: {type(error).__name__}", False
        finally:
            if process.stdin is not None:
                with suppress(BrokenPipeError):  # what a server that ended did not take
                    process.stdin.close()
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _end_when(process: "subprocess.Popen[bytes]", given_up: threading.Event) -> None:
    """Kill the server when the turn is cancelled or the call has had its time."""
    end = time.monotonic() + _CALL_SECONDS
    while process.poll() is None:
        if given_up.wait(_POLL_SECONDS) or time.monotonic() > end:
            process.kill()
            return


def _talk(process: "subprocess.Popen[bytes]", tool: str, arguments: Json) -> tuple[str, bool]:
    client = {"name": "kandev-scripted-agent", "version": "1"}
    hello = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client}
    _ask(process, 1, "initialize", hello)
    _send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    answer = _ask(process, 2, "tools/call", {"name": tool, "arguments": arguments})
    if "error" in answer:
        return str(answer["error"].get("message", "error")), False
    result = answer["result"]
    text = "\n".join(each.get("text", "") for each in result.get("content", []))
    return text, not result.get("isError", False)


def _ask(process: "subprocess.Popen[bytes]", number: int, method: str, params: Json) -> Json:
    _send(process, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    assert process.stdout is not None
    for line in process.stdout:
        message: Json = json.loads(line)
        if message.get("id") == number and "method" not in message:
            return message
    raise ValueError("the server closed its output")


def _send(process: "subprocess.Popen[bytes]", message: Json) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
