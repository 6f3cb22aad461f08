"""A server of bundles that misbehaves as it is told; the archive is a real one."""

import io
import json
import threading
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from typing_extensions import override

__all__ = ("BundleServer", "bundle_server")

PREFIX = "/api/v1/diagnostics/bundles"


def archive(size: int = 300_000) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("backend/backend-logs.log", bytes(range(256)) * (size // 256))
    return made.getvalue()


@dataclass
class BundleServer:
    """`busy` refusals come first; a download ends after `cut` bytes; one byte is `spoiled`."""

    data: bytes = field(default_factory=archive)
    busy: int = 0
    status: str = "ready"
    cut: int | None = None
    spoiled: bool = False
    port: int = 0
    ranges: list[str | None] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    arguments: list[bytes] = field(default_factory=list)
    """Of every process there was when it was asked for a bundle."""

    def job(self) -> dict[str, Any]:
        return {
            "id": "b" * 32,
            "status": self.status,
            "failure": None,
            "bytes": len(self.data),
            "crc32": f"{zlib.crc32(self.data):08x}",
            "etag": '"tag"',
            "download_url": f"{PREFIX}/{'b' * 32}/download",
        }


def arguments_of_all() -> Iterator[bytes]:
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            with suppress(OSError):
                yield (each / "cmdline").read_bytes()


@contextmanager
def bundle_server() -> Iterator[BundleServer]:
    """One on a free port of loopback."""
    state = BundleServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            state.tokens.append(self.headers["authorization"])
            state.arguments += arguments_of_all()
            if state.busy:
                state.busy -= 1
                self.answer(429, json.dumps({"detail": "Busy."}).encode(), {"retry-after": "1"})
            else:
                self.answer(201, json.dumps(state.job()).encode(), {})

        def do_GET(self) -> None:
            if not self.path.endswith("/download"):
                self.answer(200, json.dumps(state.job()).encode(), {})
                return
            asked = self.headers["range"]
            state.ranges.append(asked)
            start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
            body = bytearray(state.data[start:])
            if state.spoiled:
                body[len(body) // 2] ^= 1
            self.answer(206 if asked else 200, bytes(body), {}, state.cut)

        def answer(
            self, status: int, body: bytes, headers: dict[str, str], cut: int | None = None
        ) -> None:
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body[:cut])
            self.close_connection = cut is not None

        @override
        def log_message(self, *arguments: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
