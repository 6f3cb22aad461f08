"""Which requests a server on loopback takes: those that a page of another site cannot have made.

The rules hold for every method, for event streams and for WebSockets, before a body is read. A
browser tells where a request comes from by `Host` (RFC 9110, 7.2), `Origin` (RFC 6454) and
`Sec-Fetch-Site` (Fetch Metadata); other clients send none of the latter two.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

from domain.outcome import Failure, Result, Success, failed
from domain.public_address import PublicUrl, client_address

__all__ = ("Asked", "Reason", "Refused", "admit", "cookie", "from_our_page", "loopback_hosts")

_SAFE_SITES = frozenset({"same-origin", "none"})
_READS = frozenset({"GET", "HEAD", "OPTIONS"})


class Reason(StrEnum):
    HOST = "foreign_host"
    ORIGIN = "foreign_origin"
    SITE = "cross_site"
    CONTENT_TYPE = "json_required"
    FORWARDED = "undeclared_proxy"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request says about itself; absent headers are None, `has_body` whether one follows.

    `peer` is who connected, `said` the headers by which something between speaks for the client.
    """

    method: str
    host: str | None
    origin: str | None
    site: str | None
    content_type: str | None
    has_body: bool
    peer: str = ""
    said: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    reason: Reason


def loopback_hosts(host: str, port: int) -> frozenset[str]:
    """The values of `Host` that name a server bound to `host` and `port`."""
    names = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host}
    return frozenset(f"{name}:{port}" for name in names) | (names if port == 80 else set())


def admit(
    asked: Asked, hosts: Collection[str], public: PublicUrl | None = None
) -> Result[str, Refused]:
    """The address of the client, if the request is taken.

    `hosts` are the values of `Host` that name this server, besides those of its public address.
    """
    named = asked.host.lower() if asked.host is not None else ""
    is_public = public is not None and named in public.hosts
    if named not in hosts and not is_public:
        return Failure(Refused(Reason.HOST))
    address = client_address(asked.peer, named, asked.said, public)
    if failed(address):
        return Failure(Refused(Reason.FORWARDED))
    ours = public.origin if public is not None and is_public else None
    if asked.origin is not None and not _is_ours(asked.origin, named, ours):
        return Failure(Refused(Reason.ORIGIN))
    if asked.site is not None and asked.site not in _SAFE_SITES:
        return Failure(Refused(Reason.SITE))
    if asked.method not in _READS and asked.has_body and not _is_json(asked.content_type):
        return Failure(Refused(Reason.CONTENT_TYPE))
    return Success(address.unwrap())


def from_our_page(asked: Asked, *, websocket: bool) -> bool:
    """Whether a browser said that a page of this server asks, of a request that was admitted.

    A cookie goes with a request whoever made the browser send it. What only reads is not asked: its
    answer stays with the browser.
    """
    said = asked.origin is not None or asked.site is not None
    return said or (asked.method in _READS and not websocket)


def cookie(header: str, name: str) -> str | None:
    """The value of a cookie (RFC 6265, 4.2); None when it is not there, or there twice."""
    pairs = (each.strip().partition("=") for each in header.split(";"))
    found = [value for key, _, value in pairs if key == name]
    return found[0] if len(found) == 1 else None


def _is_ours(origin: str, host: str, public: str | None) -> bool:
    """A page of this server itself; the opaque origin `null` is nobody's."""
    if public is not None:
        return origin.lower() == public
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.netloc.lower() == host


def _is_json(content_type: str | None) -> bool:
    return (content_type or "").split(";")[0].strip().lower() == "application/json"
