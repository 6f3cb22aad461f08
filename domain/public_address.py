"""The public address of a server behind a proxy on its machine, and what that proxy may say.

Without one there is no proxy: whoever forwards a request for somebody else is refused. With one, a
request for its host has come through the proxy, whose word on the client is the last of the list
(the ones before it are the client's own): X-Forwarded-For, or `Forwarded` (RFC 7239).
"""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from domain.outcome import Failure, Result, Success

__all__ = (
    "FORWARDING",
    "InvalidPublicUrl",
    "PublicUrl",
    "UndeclaredProxy",
    "client_address",
    "parse_public_url",
)

FORWARDING: Final = frozenset({
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-original-url",
    "x-real-ip",
    "x-rewrite-url",
})
"""Headers by which something between speaks for the client, in lower case."""

_PORTS: Final = {"http": 80, "https": 443}
_USED: Final = frozenset({"forwarded", "x-forwarded-for", "x-real-ip"})
_TOLD: Final = frozenset({"x-forwarded-host", "x-forwarded-proto", "x-forwarded-port"})


@dataclass(frozen=True, slots=True)
class PublicUrl:
    """`host` is in lower case, with the port where that is not the scheme's own."""

    scheme: str
    host: str

    @property
    def origin(self) -> str:
        """As browsers write it (RFC 6454, 6.2)."""
        return f"{self.scheme}://{self.host}"

    @property
    def hosts(self) -> frozenset[str]:
        """The values of `Host` that name it."""
        parts = urlsplit(self.origin)
        own = _PORTS[self.scheme]
        return frozenset(
            {self.host} if parts.port is not None else {self.host, f"{self.host}:{own}"}
        )

    @property
    def port(self) -> int:
        return urlsplit(self.origin).port or _PORTS[self.scheme]


@dataclass(frozen=True, slots=True)
class InvalidPublicUrl:
    """Not `http://` or `https://` with a host and, if need be, a port, and nothing behind it."""


@dataclass(frozen=True, slots=True)
class UndeclaredProxy:
    """Something that was not declared speaks for the client, or what was says what is not so."""


def parse_public_url(text: str) -> Result[PublicUrl, InvalidPublicUrl]:
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return Failure(InvalidPublicUrl())
    bare = parts.path in {"", "/"} and not parts.query and not parts.fragment
    if parts.scheme not in _PORTS or not host or not bare or "@" in parts.netloc or port == 0:
        return Failure(InvalidPublicUrl())
    if not all(char.isalnum() or char in ".-:" for char in host) or not host.isascii():
        return Failure(InvalidPublicUrl())
    name = f"[{host}]" if ":" in host else host
    shown = "" if port in {None, _PORTS[parts.scheme]} else f":{port}"
    return Success(PublicUrl(parts.scheme, name + shown))


def client_address(
    peer: str, host: str, said: Mapping[str, str], public: PublicUrl | None
) -> Result[str, UndeclaredProxy]:
    """Who asks: the peer, or whom the declared proxy names.

    `said` are the headers of `FORWARDING` that the request has, `host` its Host in lower case.
    """
    if public is None or host not in public.hosts:
        return Failure(UndeclaredProxy()) if said else Success(peer)
    if not said.keys() <= _USED | _TOLD or not _is_so(said, public):
        return Failure(UndeclaredProxy())
    named = [_named(name, said[name]) for name in sorted(_USED & said.keys())]
    if None in named or len(set(named)) > 1:
        return Failure(UndeclaredProxy())
    return Success(named[0] or peer) if named else Success(peer)


def _is_so(said: Mapping[str, str], public: PublicUrl) -> bool:
    """What the proxy tells of the address is the public one."""
    host, scheme = said.get("x-forwarded-host"), said.get("x-forwarded-proto")
    port = said.get("x-forwarded-port")
    return (
        (host is None or host.lower() in public.hosts)
        and (scheme is None or scheme.lower() == public.scheme)
        and (port is None or port == str(public.port))
    )


def _named(header: str, value: str) -> str | None:
    """The address that is named last; None when it is none."""
    last = value.rpartition(",")[2].strip()
    if header == "forwarded":
        pairs = dict(each.strip().lower().partition("=")[::2] for each in last.split(";"))
        last = pairs.get("for", "").strip('"')
        last = last.removeprefix("[").partition("]")[0] if last.startswith("[") else last
    try:
        return str(ipaddress.ip_address(last))
    except ValueError:
        return None
