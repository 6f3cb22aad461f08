"""A configuration key in the parts that git compares, and the URLs that its subsection speaks of.

Section and variable are compared without case, the subsection with it; a URL subsection in its
normal form (git-config(1), `http.<url>.*`).
"""

import re
from dataclasses import dataclass

__all__ = ("Key", "Place", "place", "scope_covers", "scopes_meet", "split")

_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?:[^/@]*@)*(?P<host>[^/?#]*)(?P<path>[^?#]*)",
    re.DOTALL,
)
_SCP = re.compile(r"(?:[^/@:]*@)?(?P<host>\[[^\]/]*\]|[^/:]+):(?P<path>.*)", re.DOTALL)
_DEFAULT_PORTS = {"https": ":443", "http": ":80", "ssh": ":22", "git": ":9418"}


@dataclass(frozen=True, slots=True)
class Key:
    """`section[.subsection].variable`; section and variable in lower case."""

    section: str
    subsection: str | None
    variable: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a URL, an scp-like address or a prefix of either points.

    `host` is in lower case, with any port that is not the scheme's own; it is empty for a path of
    this machine and for a prefix that ends before the host.
    """

    scheme: str
    host: str
    path: str


def split(key: str) -> Key:
    """The parts of a key that git accepts: the first and the last dot delimit the subsection."""
    section, _, rest = key.partition(".")
    subsection, dot, variable = rest.rpartition(".")
    return Key(section.lower(), subsection if dot else None, variable.lower())


def place(text: str) -> Place:
    """Read an address as git does: a scheme, else `host:path` for SSH, else a path."""
    url = _URL.match(text)
    if url is not None:
        scheme = url["scheme"].lower()
        host = url["host"].lower().removesuffix(_DEFAULT_PORTS.get(scheme, "\0"))
        return Place(scheme, host, url["path"].rstrip("/"))
    scp = _SCP.match(text)
    if scp is not None:
        return Place("ssh", scp["host"].lower(), scp["path"].rstrip("/"))
    return Place("file", "", text)


def scope_covers(wide: str | None, narrow: str | None) -> bool:
    """Whether every URL that `narrow` matches is matched by `wide`: none, or an URL above it.

    No subsection matches every URL. A pattern that is not a whole URL covers only itself.
    """
    if wide is None or narrow is None:
        return wide is None
    if "://" not in wide or "://" not in narrow:
        return wide == narrow
    above, below = place(wide), place(narrow)
    if (above.scheme, above.host) != (below.scheme, below.host):
        return False
    return f"{below.path}/".startswith(f"{above.path}/")


def scopes_meet(one: str | None, other: str | None) -> bool:
    """Whether some URL may match both.

    A pattern that is not a whole URL, or has a wildcard in its host, is taken to match: what is
    said to be affected is never too little.
    """
    if scope_covers(one, other) or scope_covers(other, one):
        return True
    return any(scope is not None and _is_loose(scope) for scope in (one, other))


def _is_loose(scope: str) -> bool:
    return "://" not in scope or "*" in place(scope).host
