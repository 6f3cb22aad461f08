"""Git's credential protocol, as the socket of an instance speaks it.

The peer is `git credential-cache --socket`, which sends `action=` and `timeout=` and then, unread,
whatever its own caller wrote. Reading follows git (git-credential(1), INPUT/OUTPUT FORMAT); what an
answer may hold is closed: never a host, a protocol, a path or a URL, which git would follow.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from domain.outcome import Failure, Result, Success, failed
from domain.repository import RepositoryIdentity, identify
from domain.secret import Secret

__all__ = (
    "MAX_LINE_BYTES",
    "MAX_REQUEST_BYTES",
    "QUIT",
    "Action",
    "Fault",
    "MalformedRequest",
    "Mismatch",
    "OutOfScope",
    "Request",
    "Unanswerable",
    "answer",
    "match",
    "parse",
)

MAX_LINE_BYTES = 65_535
"""Bytes of one line with its newline, as git-credential(1) bounds an attribute."""
MAX_REQUEST_BYTES = 256 * 1_024
"""Bytes of a whole request; git forwards the challenges of a server, which may be long."""

QUIT = b"quit=1\n\n"
"""The answer that makes git stop: no other helper, no askpass, no terminal."""

_LFS = re.compile(r"\.git/info/lfs(/.*)?", re.DOTALL)
_SINGLE = frozenset({"protocol", "host", "path", "username", "password"})


class Action(StrEnum):
    """What is asked. `store` ends in the helper and never comes here."""

    GET = "get"
    ERASE = "erase"


class Fault(StrEnum):
    """Why a request is none."""

    TOO_LONG = "too_long"
    LINE_TOO_LONG = "line_too_long"
    ACTION = "action"
    NO_EQUALS = "no_equals"
    CARRIAGE_RETURN = "carriage_return"
    NUL = "nul"
    URL = "url"


@dataclass(frozen=True, slots=True)
class MalformedRequest:
    """The bytes are no request that git's client would send."""

    fault: Fault


@dataclass(frozen=True, slots=True)
class Request:
    """A request; an attribute that was not sent is None, one sent empty is empty.

    `path` is decoded, by git. `capabilities` are what the caller says it understands.
    """

    action: Action
    protocol: str | None = None
    host: str | None = None
    path: str | None = None
    username: str | None = None
    password: Secret | None = None
    capabilities: frozenset[str] = frozenset()


class Mismatch(StrEnum):
    """Why no scope fits."""

    PROTOCOL = "protocol"
    NO_HOST = "no_host"
    NO_PATH = "no_path"
    UNREADABLE = "unreadable"
    OTHER_HOST = "other_host"
    OTHER_REPOSITORY = "other_repository"


@dataclass(frozen=True, slots=True)
class OutOfScope:
    """The request is for nothing that this instance has a lease for."""

    mismatch: Mismatch


@dataclass(frozen=True, slots=True)
class Unanswerable:
    """The credential cannot be said in the protocol without changing its meaning."""


def parse(data: bytes) -> Result[Request, MalformedRequest]:
    """Read the first block: up to a blank line or the end.

    As git reads it: the last of several equal attributes counts, one CR before a newline goes,
    unknown attributes and challenges are passed over, keys are case-sensitive, blanks belong to
    values. What git would cut or refuse (NUL, another CR, a line without `=`) is refused.
    """
    if len(data) > MAX_REQUEST_BYTES:
        return Failure(MalformedRequest(Fault.TOO_LONG))
    lines = _lines(data)
    if not lines or lines[0] not in {b"action=get", b"action=erase"}:
        return Failure(MalformedRequest(Fault.ACTION))
    attributes: dict[str, str] = {}
    capabilities: set[str] = set()
    for line in lines[1:]:
        fault = _fault(line)
        if fault is not None:
            return Failure(MalformedRequest(fault))
        key, _, value = line.decode("utf-8", "surrogateescape").partition("=")
        if key in _SINGLE:
            attributes[key] = value
        elif key == "capability[]":
            capabilities.add(value)
    password = attributes.get("password")
    return Success(
        Request(
            Action(lines[0].removeprefix(b"action=").decode()),
            attributes.get("protocol"),
            attributes.get("host"),
            attributes.get("path"),
            attributes.get("username"),
            None if password is None else Secret(password),
            frozenset(capabilities),
        )
    )


def match(
    request: Request, scopes: Collection[RepositoryIdentity]
) -> Result[RepositoryIdentity, OutOfScope]:
    """The scope that the request is for: `https` only, the exact host, port and path.

    Host and path are put in the one spelling of identities first (case of the host, port 443,
    `.git`, slashes around), because git matches configuration by such a spelling and sends the
    typed one. git-lfs may name its endpoint below the repository.
    """
    if request.protocol != "https":
        return Failure(OutOfScope(Mismatch.PROTOCOL))
    if not request.host:
        return Failure(OutOfScope(Mismatch.NO_HOST))
    if not request.path:
        return Failure(OutOfScope(Mismatch.NO_PATH))
    asked = identify(request.host, _LFS.sub("", request.path))
    if failed(asked):
        return Failure(OutOfScope(Mismatch.UNREADABLE))
    identity = asked.unwrap()
    if identity in scopes:
        return Success(identity)
    known = any(scope.host == identity.host for scope in scopes)
    return Failure(OutOfScope(Mismatch.OTHER_REPOSITORY if known else Mismatch.OTHER_HOST))


def answer(
    request: Request, username: str, password: Secret, expires: int | None
) -> Result[bytes, Unanswerable]:
    """The bytes that give git the credential; `expires` in Unix seconds, None for never.

    To a caller that understands `authtype` it is marked `ephemeral` (git 2.46), so that no store
    after us keeps it.
    """
    values = (username, password.reveal())
    misread = ":" in username or (expires is not None and expires <= 0)
    if misread or not all(_sayable(value) for value in values):
        return Failure(Unanswerable())
    understands = "authtype" in request.capabilities
    lines = [
        *(["capability[]=authtype"] if understands else []),
        f"username={username}",
        f"password={password.reveal()}",
        *([] if expires is None else [f"password_expiry_utc={expires}"]),
        *(["ephemeral=1"] if understands else []),
    ]
    return Success("".join(f"{line}\n" for line in [*lines, ""]).encode("utf-8"))


def _lines(data: bytes) -> list[bytes]:
    """The lines of the first block, each without its newline and one CR before that."""
    lines: list[bytes] = []
    for line in data.split(b"\n"):
        bare = line.removesuffix(b"\r")
        if not bare:
            break
        lines.append(bare)
    return lines


def _fault(line: bytes) -> Fault | None:
    if len(line) >= MAX_LINE_BYTES:
        return Fault.LINE_TOO_LONG
    if b"\0" in line:
        return Fault.NUL
    if b"\r" in line:
        return Fault.CARRIAGE_RETURN
    if b"=" not in line:
        return Fault.NO_EQUALS
    return Fault.URL if line.startswith(b"url=") else None


def _sayable(value: str) -> bool:
    """Text of one line; git never sends an empty user name, and an empty password is no secret."""
    return bool(value) and not any(
        mark in "\n\r\0" or "\ud800" <= mark <= "\udfff" for mark in value
    )
