"""The forge: repositories, the one token that it takes, and a record of who asked for what."""

import base64
import hmac
import ssl
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import unquote, urlsplit

from typing_extensions import override

from adapters.forge import backend, certificate

__all__ = ("Forge", "Seen")

HOLD_SECONDS: Final = 60.0
"""How long a held push waits to be released before it goes on."""
READ_SECONDS: Final = 60.0

_GIT_IDENTITY = ("-c", "user.name=Forge", "-c", "user.email=forge@localhost")


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it was answered; `user` and `accepted` are what it authenticated with."""

    method: str
    path: str
    service: str
    user: str | None
    accepted: bool
    status: int


class Forge:
    """A forge inside `with`; leaving ends its threads and closes its socket.

    `token` may be changed at any time: the old one is refused from then on. Repositories named in
    `forbidden` answer 403 to everyone.
    """

    def __init__(self, root: Path, token: str) -> None:
        self.root = root
        self.token = token
        self.forbidden: set[str] = set()
        self._certificate = certificate.make()
        self._seen: list[Seen] = []
        self._lock = threading.Lock()
        self._hold = threading.Event()
        self._hold.set()
        self._held = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    @property
    def authority(self) -> str:
        """PEM text of the authority that signs the server."""
        return self._certificate.authority

    @property
    def host(self) -> str:
        """Host and port, as a Git remote has them."""
        assert self._server is not None, "the forge runs inside `with`"
        return f"127.0.0.1:{self._server.server_address[1]}"

    def url(self, name: str) -> str:
        return f"https://{self.host}/{name}.git"

    def seen(self) -> list[Seen]:
        with self._lock:
            return list(self._seen)

    def create(self, name: str, files: dict[str, str]) -> Path:
        """A bare repository with one commit of these files on `main`."""
        path = self.root / f"{name}.git"
        _git("init", "--bare", "--quiet", "--initial-branch=main", str(path))
        _git("-C", str(path), "config", "http.receivepack", "true")
        with tempfile.TemporaryDirectory() as folder:
            _git("clone", "--quiet", str(path), folder)
            for file, content in files.items():
                target = Path(folder, file)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(content, encoding="utf-8")
            _git("-C", folder, "add", "--all")
            _git("-C", folder, *_GIT_IDENTITY, "commit", "--quiet", "-m", "Begin")
            _git("-C", folder, "push", "--quiet", "origin", "HEAD:refs/heads/main")
        return path

    def hold_pushes(self) -> None:
        """From now on an authenticated push waits, before git takes it, until `release_pushes`."""
        self._held.clear()
        self._hold.clear()

    def wait_for_push(self, seconds: float) -> bool:
        """Whether a push is held open within `seconds`."""
        return self._held.wait(seconds)

    def release_pushes(self) -> None:
        self._hold.set()

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"owner": self})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(self._certificate.key + self._certificate.certificate)
            file.flush()
            context.load_cert_chain(file.name)
        # The handshake is made by the thread of the connection, so that none can stop the others.
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release_pushes()
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

    def _record(self, seen: Seen) -> None:
        with self._lock:
            self._seen.append(seen)

    def _wait_if_held(self, service: str) -> None:
        if service == "git-receive-pack" and not self._hold.is_set():
            self._held.set()
            self._hold.wait(HOLD_SECONDS)

    def _accepts(self, authorization: str) -> tuple[str | None, bool]:
        scheme, _, encoded = authorization.partition(" ")
        if scheme.lower() != "basic":
            return None, False
        try:
            text = base64.b64decode(encoded, validate=True).decode()
        except ValueError:
            return None, False
        user, _, password = text.partition(":")
        return user, hmac.compare_digest(password.encode(), self.token.encode())


class _Handler(BaseHTTPRequestHandler):
    owner: Forge
    protocol_version = "HTTP/1.1"
    timeout = READ_SECONDS

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = backend.read_body(self.rfile, headers)
        parts = urlsplit(self.path)
        user, accepted = self.owner._accepts(headers.get("authorization", ""))  # noqa: SLF001 -- its handler
        posted = parts.path.rsplit("/", 1)[-1] if self.command == "POST" else ""
        name = unquote(parts.path).lstrip("/").split(".git", 1)[0]
        if not accepted:
            answer = backend.Answer(401, (("WWW-Authenticate", 'Basic realm="forge"'),), b"")
        elif name in self.owner.forbidden:
            answer = backend.Answer(403, (), b"")
        else:
            self.owner._wait_if_held(posted)  # noqa: SLF001 -- its handler
            answer = backend.ask(
                self.owner.root, self.command, parts.path, parts.query, headers, body, user or ""
            )
        service = posted or parts.query.removeprefix("service=")
        self.owner._record(  # noqa: SLF001 -- its handler
            Seen(self.command, parts.path, service, user, accepted, answer.status)
        )
        self._send(answer)

    def _send(self, answer: backend.Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers:
            if name.lower() != "content-length":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """The forge keeps its own record and prints nothing."""


def _git(*arguments: str) -> None:
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    subprocess.run(
        ["git", *arguments], check=True, capture_output=True, env=environment, timeout=60
    )
