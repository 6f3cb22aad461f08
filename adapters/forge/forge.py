"""The forge: repositories, the one token that it takes, and a record of who asked for what."""

import base64
import hmac
import os
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import unquote, urlsplit

from adapters.forge import backend, certificate, large_files
from adapters.forge.server import Answer, Request, Server

__all__ = ("Forge", "Seen")

HOLD_SECONDS: Final = 60.0
"""How long a held push waits to be released before it goes on."""

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
        self._server = Server(self._certificate, self._respond)
        self._seen: list[Seen] = []
        self._lock = threading.Lock()
        self._hold = threading.Event()
        self._hold.set()
        self._held = threading.Event()

    @property
    def authority(self) -> str:
        """PEM text of the authority that signs the server."""
        return self._certificate.authority

    @property
    def host(self) -> str:
        """Host and port, as a Git remote has them."""
        return f"127.0.0.1:{self._server.port}"

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
        self._server.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release_pushes()
        self._server.__exit__(kind, error, trace)

    def _respond(self, request: Request) -> Answer:
        parts = urlsplit(request.target)
        posted = parts.path.rsplit("/", 1)[-1] if request.method == "POST" else ""
        user, accepted = self._accepts(request.headers.get("authorization", ""))
        if not accepted:
            answer = Answer(401, (("WWW-Authenticate", 'Basic realm="forge"'),))
        elif _repository(parts.path) in self.forbidden:
            answer = Answer(403)
        else:
            self._wait_if_held(posted)
            answer = large_files.ask(self.root, f"https://{self.host}", request) or backend.ask(
                self.root, request, user or ""
            )
        service = posted or parts.query.removeprefix("service=")
        with self._lock:
            self._seen.append(
                Seen(request.method, parts.path, service, user, accepted, answer.status)
            )
        return answer

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


def _repository(path: str) -> str:
    return unquote(path).lstrip("/").split(".git", 1)[0]


def _git(*arguments: str) -> None:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    subprocess.run(
        ["git", *arguments], check=True, capture_output=True, env=environment, timeout=60
    )
