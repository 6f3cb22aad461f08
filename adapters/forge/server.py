"""An HTTPS server on loopback that owns its threads and connections: leaving ends them all."""

import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from types import TracebackType
from typing import Any, Final, Self

from typing_extensions import override

from adapters.forge.certificate import Certificate

__all__ = ("MAX_BODY_BYTES", "Answer", "Request", "Server")

MAX_BODY_BYTES: Final = 256 * 1024 * 1024
"""Of one request; a longer one is answered with 413."""
READ_SECONDS: Final = 60.0
"""For the next bytes of a request; an idle connection is closed after it."""

_POLL_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Request:
    """`headers` by lower-case name; `target` as it was sent."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class Server:
    """Serves inside `with`; `respond` runs on the thread of the connection."""

    def __init__(self, certificate: Certificate, respond: Callable[[Request], Answer]) -> None:
        self._certificate = certificate
        self._respond = respond
        self._http: _HTTPServer | None = None
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        assert self._http is not None, "it serves inside `with`"
        return int(self._http.server_address[1])

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"respond": staticmethod(self._respond)})
        self._http = _HTTPServer(("127.0.0.1", 0), handler)
        # The handshake is made by the thread of the connection, so that none can stop the others.
        self._http.socket = _context(self._certificate).wrap_socket(
            self._http.socket, server_side=True, do_handshake_on_connect=False
        )
        self._thread = threading.Thread(target=self._http.serve_forever, args=(_POLL_SECONDS,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._http is not None
        assert self._thread is not None
        self._http.shutdown()
        self._thread.join()
        self._http.hang_up()
        self._http.server_close()


def _context(certificate: Certificate) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile("w", suffix=".pem", encoding="ascii") as file:
        file.write(certificate.key + certificate.certificate)
        file.flush()
        context.load_cert_chain(file.name)
    return context


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()

    def hang_up(self) -> None:
        """Wake the threads that wait for the next request of a connection."""
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    @override
    def process_request(self, request: Any, client_address: Any) -> None:  # typeshed says Any
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    @override
    def shutdown_request(self, request: Any) -> None:  # typeshed says Any
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:  # typeshed says Any
        """A client that goes away, or does not trust the certificate, is no news."""


class _Handler(BaseHTTPRequestHandler):
    respond: Callable[[Request], Answer]
    protocol_version = "HTTP/1.1"
    timeout = READ_SECONDS

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def _serve(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            body = _body(self.rfile, headers)
        except ValueError:
            self._refuse(400)
        else:
            if body is None:
                self._refuse(413)
            else:
                self._send(self.respond(Request(self.command, self.path, headers, body)))

    def _refuse(self, status: int) -> None:
        """What is left of the body cannot be told from a next request."""
        self.close_connection = True
        self._send(Answer(status, (("Connection", "close"),)))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers:
            if name.lower() != "content-length":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Whoever owns the server keeps a record; nothing is printed."""


def _body(stream: BufferedIOBase, headers: Mapping[str, str]) -> bytes | None:
    """The whole body, of a stated length or in chunks (RFC 9112, 7.1); None past the bound.

    Raises `ValueError` for a length that is none.
    """
    if "chunked" not in headers.get("transfer-encoding", "").lower():
        length = _length(headers.get("content-length", "0"), 10)
        return stream.read(length) if length <= MAX_BODY_BYTES else None
    parts: list[bytes] = []
    left = MAX_BODY_BYTES
    while size := _length(stream.readline().split(b";")[0].strip().decode("ascii"), 16):
        left -= size
        if left < 0:
            return None
        parts.append(stream.read(size))
        stream.readline()
    while stream.readline().strip():
        pass
    return b"".join(parts)


def _length(text: str, base: int) -> int:
    length = int(text, base)
    if length < 0:
        raise ValueError("a negative length")
    return length
