"""One request to `git http-backend`, the CGI program that git ships (git-http-backend(1))."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Final

__all__ = ("Answer", "ask", "read_body")

LIMIT_SECONDS: Final = 60.0
"""One request of git's at most."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def ask(
    root: Path,
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    body: bytes,
    user: str,
) -> Answer:
    """Serve a repository below `root`; `user` is who authenticated, and may push."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_TYPE": headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "REMOTE_USER": user,
        "REMOTE_ADDR": "127.0.0.1",
    }
    for name in ("content-encoding", "git-protocol", "accept-encoding"):
        if name in headers:
            environment[f"HTTP_{name.upper().replace('-', '_')}"] = headers[name]
    if "git-protocol" in headers:
        environment["GIT_PROTOCOL"] = headers["git-protocol"]
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", "http-backend"],
        input=body,
        env=environment,
        capture_output=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    return _parse(done.stdout)


def read_body(stream: BufferedIOBase, headers: Mapping[str, str]) -> bytes:
    """The whole body, of a stated length or in chunks (RFC 9112, 7.1)."""
    if "chunked" not in headers.get("transfer-encoding", "").lower():
        return stream.read(int(headers.get("content-length") or 0))
    parts: list[bytes] = []
    while size := int(stream.readline().split(b";")[0], 16):
        parts.append(stream.read(size))
        stream.readline()
    while stream.readline().strip():
        pass
    return b"".join(parts)


def _parse(output: bytes) -> Answer:
    """A CGI answer (RFC 3875, 6): header lines, a blank line, the body."""
    head, _, body = output.partition(b"\r\n\r\n")
    status, headers = 200, []
    for line in head.decode("latin-1").split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "status":
            status = int(value.split()[0])
        elif name:
            headers.append((name, value.strip()))
    return Answer(status, tuple(headers), body)
