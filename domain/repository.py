"""Which repository a remote names, whatever its spelling: what credentials are bound to.

One spelling in, one identity out, or a refusal. What git and a server could read differently (dot
segments, encoded slashes, user info, queries) is refused and never repaired. Formats: git-clone(1),
"GIT URLS"; RFC 3986 for the parts of a URL.
"""

import ipaddress
import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, unquote_to_bytes

from domain.outcome import Failure, Result, Success, failed

__all__ = (
    "MAX_HOST_LENGTH",
    "MAX_REMOTE_LENGTH",
    "InvalidRemote",
    "Reason",
    "RepositoryIdentity",
    "https_url",
    "identify",
    "parse_host",
    "parse_remote",
)

MAX_REMOTE_LENGTH = 2_048
"""Characters of a remote, counted before anything is trimmed."""
MAX_HOST_LENGTH = 253
"""Characters of a host name without its port (RFC 1035 less the dots of the wire)."""

_HTTPS_PORT = 443
_OWNED = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
"""Forges where a repository always has an owner: one segment there is somebody's page."""
_BLANK = " \t\r\n"
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters and lone surrogates: what survives no log line, header or UTF-8."""
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_USER = re.compile(r"[A-Za-z0-9_.+~$!][A-Za-z0-9_.+~$!-]*")
_SCP = re.compile(r"([^/:@]*)@(\[[^\]/]*\]|[^/:@\[]*):(.*)", re.DOTALL)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ENCODED_SLASH = re.compile(r"%(?:2[Ff]|5[Cc])")


class Reason(StrEnum):
    """What is wrong with a remote, without repeating it: it may carry a password."""

    TOO_LONG = "too_long"
    NOT_A_REMOTE = "not_a_remote"
    CHARACTER = "character"
    SCHEME = "scheme"
    USER = "user"
    PASSWORD = "password"  # noqa: S105 -- the name of a part of a URL
    HOST = "host"
    PORT = "port"
    QUERY = "query"
    FRAGMENT = "fragment"
    ENCODING = "encoding"
    PATH = "path"


@dataclass(frozen=True, slots=True)
class InvalidRemote:
    """The text names no repository that a credential could be bound to."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class RepositoryIdentity:
    """A repository as its HTTPS server knows it.

    `host` is lower case and has its port unless that is 443. `path` is decoded, begins with `/`,
    ends neither in `/` nor in `.git`, and keeps its case.
    """

    host: str
    path: str


def parse_remote(text: str) -> Result[RepositoryIdentity, InvalidRemote]:
    """The identity behind an `https://`, `ssh://` or `user@host:path` remote.

    Surrounding blanks are dropped. An SSH port and user are not part of the identity. The path of
    a URL is percent-decoded once; that of the scp form is literal, as git has it. Other schemes,
    local paths and `host:path` without a user (a drive, or an SSH alias) are not remotes.
    """
    if len(text) > MAX_REMOTE_LENGTH:
        return Failure(InvalidRemote(Reason.TOO_LONG))
    remote = text.strip(_BLANK)
    if _UNPRINTABLE.search(remote):
        return Failure(InvalidRemote(Reason.CHARACTER))
    scheme = _SCHEME.match(remote)
    if scheme is None:
        return _parse_scp(remote)
    rest = remote[scheme.end() :]
    match scheme[1].lower():
        case "https":
            return _parse_https(rest)
        case "ssh":
            return _parse_ssh(rest)
        case _:
            return Failure(InvalidRemote(Reason.SCHEME))


def identify(host: str, path: str) -> Result[RepositoryIdentity, InvalidRemote]:
    """The identity of a host (with its port, as HTTPS has it) and a path that is decoded already.

    This is how git's credential protocol and stored rows name a repository; nothing is decoded
    again, so a `%` in the path is a `%` in the name.
    """
    return _identity(parse_host(host), path)


def parse_host(text: str) -> Result[str, InvalidRemote]:
    """A host with an optional HTTPS port, in the one spelling that identities use."""
    host, port, problem = _split_port(text)
    if problem is not None:
        return Failure(problem)
    return Success(host if port in {None, _HTTPS_PORT} else f"{host}:{port}")


def https_url(identity: RepositoryIdentity) -> str:
    """The clone URL over HTTPS; `parse_remote` of it is the identity again."""
    return f"https://{identity.host}{quote(identity.path, safe='/~')}.git"


def _parse_https(rest: str) -> Result[RepositoryIdentity, InvalidRemote]:
    authority, path, problem = _split_url(rest)
    if problem is not None:
        return Failure(problem)
    if "@" in authority:
        return Failure(InvalidRemote(Reason.USER))
    return _decoded(parse_host(authority), path)


def _parse_ssh(rest: str) -> Result[RepositoryIdentity, InvalidRemote]:
    authority, path, problem = _split_url(rest)
    if problem is not None:
        return Failure(problem)
    user, at, server = authority.rpartition("@")
    if at and (wrong := _wrong_user(user)):
        return Failure(InvalidRemote(wrong))
    return _decoded(_ssh_host(server), path)


def _parse_scp(remote: str) -> Result[RepositoryIdentity, InvalidRemote]:
    form = _SCP.fullmatch(remote)
    if form is None:
        password = re.match(r"[^/@]*:[^/@]*@[^/]*:", remote)
        return Failure(InvalidRemote(Reason.PASSWORD if password else Reason.NOT_A_REMOTE))
    user, server, path = form[1], form[2], form[3]
    if wrong := _wrong_user(user):
        return Failure(InvalidRemote(wrong))
    if "?" in path:
        return Failure(InvalidRemote(Reason.QUERY))
    if "#" in path:
        return Failure(InvalidRemote(Reason.FRAGMENT))
    return _identity(_ssh_host(server), path)


def _split_url(rest: str) -> tuple[str, str, InvalidRemote | None]:
    if "#" in rest:
        return "", "", InvalidRemote(Reason.FRAGMENT)
    if "?" in rest:
        return "", "", InvalidRemote(Reason.QUERY)
    authority, _, path = rest.partition("/")
    return authority, path, None


def _wrong_user(user: str) -> Reason | None:
    if ":" in user:
        return Reason.PASSWORD
    return None if _USER.fullmatch(user) else Reason.USER


def _ssh_host(server: str) -> Result[str, InvalidRemote]:
    host, _, problem = _split_port(server)
    return Success(host) if problem is None else Failure(problem)


def _split_port(text: str) -> tuple[str, int | None, InvalidRemote | None]:
    """Host in lower case, port, problem: brackets around IPv6, nothing else around anything."""
    bracket = text.rfind("]")
    colon = text.find(":", bracket + 1)
    host, digits = (text, None) if colon < 0 else (text[:colon], text[colon + 1 :])
    if not _is_host(host.lower() if host.isascii() else ""):
        return "", None, InvalidRemote(Reason.HOST)
    if digits is None:
        return host.lower(), None, None
    if not _PORT.fullmatch(digits) or int(digits) > 0xFFFF:
        return "", None, InvalidRemote(Reason.PORT)
    return host.lower(), int(digits), None


def _is_host(host: str) -> bool:
    if host.startswith("[") and host.endswith("]"):
        return _is_ipv6(host[1:-1])
    if len(host) > MAX_HOST_LENGTH:
        return False
    return all(_LABEL.fullmatch(label) for label in host.split("."))


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text


def _decoded(
    host: Result[str, InvalidRemote], path: str
) -> Result[RepositoryIdentity, InvalidRemote]:
    if _BAD_ESCAPE.search(path):
        return Failure(InvalidRemote(Reason.ENCODING))
    if _ENCODED_SLASH.search(path):
        return Failure(InvalidRemote(Reason.PATH))
    try:
        plain = unquote_to_bytes(path).decode()
    except UnicodeDecodeError:
        return Failure(InvalidRemote(Reason.ENCODING))
    return _identity(host, plain)


def _identity(
    host: Result[str, InvalidRemote], path: str
) -> Result[RepositoryIdentity, InvalidRemote]:
    if failed(host):
        return host
    if len(path) > MAX_REMOTE_LENGTH:
        return Failure(InvalidRemote(Reason.TOO_LONG))
    if _UNPRINTABLE.search(path) or "\\" in path:
        return Failure(InvalidRemote(Reason.CHARACTER))
    segments = _bare(path).split("/")
    if any(segment in {"", ".", ".."} for segment in segments):
        return Failure(InvalidRemote(Reason.PATH))
    if host.unwrap() in _OWNED and len(segments) == 1:
        return Failure(InvalidRemote(Reason.PATH))
    return Success(RepositoryIdentity(host.unwrap(), "/" + "/".join(segments)))


def _bare(path: str) -> str:
    """The path without slashes around it and without `.git`, however often either was added."""
    bare = path.strip("/")
    while bare.endswith(".git"):
        bare = bare.removesuffix(".git").rstrip("/")
    return bare
