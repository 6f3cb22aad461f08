"""A model on loopback that speaks Anthropic's Messages API as far as coding agents need it.

It calls the tool that it was told of once, with what it was told, and then says that it is done.
"""

import json
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from typing_extensions import override

__all__ = ("ModelServer",)

_USAGE: Final = {"input_tokens": 1, "output_tokens": 1}
_MESSAGE: Final[Mapping[str, object]] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "model",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": _USAGE,
}


class ModelServer:
    """Inside `with`. `tool` is how the name of the tool to call ends, `wanted` its arguments."""

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self.wanted: Mapping[str, object] = {}
        self.offered: set[str] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, name="model")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The block of content that answers a request."""
        offered = [str(tool["name"]) for tool in asked.get("tools", ())]
        self.offered.update(offered)
        named = next((name for name in offered if name.endswith(self.tool)), None)
        if named is None or "tool_result" in json.dumps(asked["messages"]):
            return {"type": "text", "text": "done"}
        return {"type": "tool_use", "id": "toolu_1", "name": named, "input": dict(self.wanted)}


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        @override
        def log_message(self, format: str, *args: object) -> None: ...

        def do_GET(self) -> None:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"")

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "count_tokens" in self.path:
                self._send(HTTPStatus.OK, "application/json", b'{"input_tokens": 1}')
                return
            block = model.answer(asked)
            if asked.get("stream"):
                self._send(HTTPStatus.OK, "text/event-stream", _streamed(block))
                return
            whole = {**_MESSAGE, "content": [block], "stop_reason": _reason(block)}
            self._send(HTTPStatus.OK, "application/json", json.dumps(whole).encode())

        def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def _reason(block: Mapping[str, Any]) -> str:
    return "end_turn" if block["type"] == "text" else "tool_use"


def _streamed(block: Mapping[str, Any]) -> bytes:
    if block["type"] == "text":
        begun: dict[str, Any] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:
        begun = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    ended = {"stop_reason": _reason(block), "stop_sequence": None}
    events: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": _MESSAGE}),
        ("content_block_start", {"index": 0, "content_block": begun}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": ended, "usage": {"output_tokens": 1}}),
        ("message_stop", {}),
    ]
    return b"".join(
        f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode()
        for kind, members in events
    )
