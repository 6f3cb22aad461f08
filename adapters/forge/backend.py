"""One request to `git http-backend`, the CGI program that git ships (git-http-backend(1))."""

import os
import subprocess
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from adapters.forge.server import Answer, Request

__all__ = ("LIMIT_SECONDS", "ask")

LIMIT_SECONDS: Final = 60.0
"""One request of git's at most."""

_PASSED_ON: Final = ("accept-encoding", "content-encoding", "git-protocol")


def ask(root: Path, request: Request, user: str) -> Answer:
    """Serve a repository below `root`; `user` is who authenticated, and may push."""
    parts = urlsplit(request.target)
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "REQUEST_METHOD": request.method,
        "PATH_INFO": unquote(parts.path),
        "QUERY_STRING": parts.query,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(request.body)),
        "REMOTE_USER": user,
        "REMOTE_ADDR": "127.0.0.1",
    }
    for name in _PASSED_ON:
        if name in request.headers:
            environment[f"HTTP_{name.upper().replace('-', '_')}"] = request.headers[name]
    if "git-protocol" in request.headers:
        environment["GIT_PROTOCOL"] = request.headers["git-protocol"]
    try:
        done = subprocess.run(
            ["git", "-c", "safe.directory=*", "http-backend"],
            input=request.body,
            env=environment,
            capture_output=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(504)
    return _parse(done.stdout)


def _parse(output: bytes) -> Answer:
    """A CGI answer (RFC 3875, 6): header lines, a blank line, the body."""
    head, blank, body = output.partition(b"\r\n\r\n")
    if not blank:
        return Answer(500)
    status, headers = 200, []
    for line in head.decode("latin-1").split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "status":
            status = int(value.split()[0])
        else:
            headers.append((name, value.strip()))
    return Answer(status, tuple(headers), body)
