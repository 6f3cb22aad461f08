"""MCP servers that a profile gives its agent, beside the one of ours.

A server holds no value that could be a secret: what its process or its requests need is named, and
taken from the variables of the profile. See the Model Context Protocol, transports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from domain.outcome import Failure, Result, Success

__all__ = (
    "MAX_MCP_BYTES",
    "MAX_MCP_SERVERS",
    "OUR_NAME",
    "GivenMcpServer",
    "InvalidMcpServer",
    "McpFault",
    "McpServer",
    "McpTransport",
    "check_servers",
    "given",
)

MAX_MCP_SERVERS: Final = 32
"""Servers of one profile."""
MAX_MCP_BYTES: Final = 32 * 1024
"""Everything that one server is described by, in bytes of UTF-8."""
OUR_NAME: Final = "kandev"
"""The name of the server that every agent has from us."""


class McpTransport(StrEnum):
    """How a server is spoken to."""

    STDIO = "stdio"
    HTTP = "http"
    SSE = "sse"


@dataclass(frozen=True, slots=True)
class McpServer:
    """A program on stdio (`command`, `arguments`, `variables`) or a URL (`url`, `headers`).

    `variables` are the names of variables that the program is given, `headers` maps a header to the
    variable that holds its value.
    """

    name: str
    transport: McpTransport
    command: str = ""
    arguments: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GivenMcpServer:
    """A server with the values that it names: what an agent is told in `session/new`."""

    name: str
    transport: McpTransport
    command: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    url: str
    headers: Mapping[str, str] = field(repr=False)


class McpFault(StrEnum):
    """What is wrong with a server."""

    NAME = "name"
    NAME_TAKEN = "name_taken"
    COMMAND = "command"
    URL = "url"
    HEADER = "header"
    UNKNOWN_VARIABLE = "unknown_variable"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True)
class InvalidMcpServer:
    """The server at `index` cannot be stored."""

    index: int
    fault: McpFault


def check_servers(
    servers: Sequence[McpServer], variables: frozenset[str]
) -> Result[tuple[McpServer, ...], InvalidMcpServer]:
    """The servers, or the first that is at fault; `variables` are the names of the profile's."""
    if len(servers) > MAX_MCP_SERVERS:
        return Failure(InvalidMcpServer(MAX_MCP_SERVERS, McpFault.TOO_MANY))
    taken = {OUR_NAME}
    for index, server in enumerate(servers):
        fault = _fault(server, variables)
        if fault is None and server.name in taken:
            fault = McpFault.NAME_TAKEN
        if fault is not None:
            return Failure(InvalidMcpServer(index, fault))
        taken.add(server.name)
    return Success(tuple(servers))


def given(server: McpServer, values: Mapping[str, str]) -> GivenMcpServer:
    """The server with what it names; `values` are the variables of its profile, all of them."""
    return GivenMcpServer(
        server.name,
        server.transport,
        server.command,
        server.arguments,
        {name: values[name] for name in server.variables},
        server.url,
        {header: values[name] for header, name in server.headers.items()},
    )


def _fault(server: McpServer, variables: frozenset[str]) -> McpFault | None:
    if not _is_word(server.name):
        return McpFault.NAME
    if not {*server.variables, *server.headers.values()} <= variables:
        return McpFault.UNKNOWN_VARIABLE
    texts = (server.name, server.command, *server.arguments, server.url, *server.headers)
    if any("\0" in text or _has_surrogate(text) for text in texts):
        return McpFault.COMMAND
    if sum(len(text.encode()) for text in texts) > MAX_MCP_BYTES:
        return McpFault.TOO_LONG
    if server.transport is McpTransport.STDIO:
        whole = server.command.strip() and not (server.url or server.headers)
        return None if whole else McpFault.COMMAND
    if server.command or server.arguments or server.variables or not _is_url(server.url):
        return McpFault.URL
    return None if all(map(_is_token, server.headers)) else McpFault.HEADER


def _is_word(name: str) -> bool:
    """The name becomes a part of the names of tools: letters, digits, `-` and `_`."""
    return 0 < len(name) <= 64 and name.isascii() and name.replace("-", "_").isidentifier()


def _is_token(header: str) -> bool:
    """A name of a header (RFC 9110, section 5.6.2)."""
    return bool(header) and all(
        mark.isascii() and (mark.isalnum() or mark in "!#$%&'*+-.^_`|~") for mark in header
    )


def _is_url(url: str) -> bool:
    """An HTTP URL with a host; a password in it would be a value, which only variables hold."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    plain = url.isprintable() and " " not in url and "@" not in parts.netloc and not parts.fragment
    return parts.scheme in {"http", "https"} and bool(host) and plain


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
