"""MCP servers of a profile: whole, told apart, and without a value of their own."""

from dataclasses import replace

import pytest

from domain.mcp_server import (
    MAX_MCP_BYTES,
    MAX_MCP_SERVERS,
    GivenMcpServer,
    InvalidMcpServer,
    McpFault,
    McpServer,
    McpTransport,
    check_servers,
    given,
)
from domain.outcome import Failure, Success
from tests.requirements import requirement

STDIO, HTTP, SSE = McpTransport
COMMAND = McpServer("files", STDIO, "mcp-files", ("--root", "."), ("KEY",))
REMOTE = McpServer("docs", HTTP, url="https://mcp.example/v1?all=1", headers={"X-Key": "KEY"})
NAMES = frozenset({"KEY"})


def test_a_command_and_a_url_are_servers() -> None:
    wanted = (COMMAND, REMOTE, replace(REMOTE, name="more", transport=SSE))

    assert check_servers(wanted, NAMES) == Success(wanted)


@requirement("profile:mcp")
@pytest.mark.parametrize(
    ("server", "fault"),
    [
        (replace(COMMAND, name=""), McpFault.NAME),
        (replace(COMMAND, name="a b"), McpFault.NAME),
        (replace(COMMAND, name="x" * 65), McpFault.NAME),
        (replace(COMMAND, name="kandev"), McpFault.NAME_TAKEN),
        (replace(COMMAND, command=" "), McpFault.COMMAND),
        (replace(COMMAND, arguments=("\0",)), McpFault.COMMAND),
        (replace(COMMAND, arguments=("\udc80",)), McpFault.COMMAND),
        (replace(COMMAND, url="https://mcp.example"), McpFault.COMMAND),
        (replace(COMMAND, variables=("OTHER",)), McpFault.UNKNOWN_VARIABLE),
        (replace(REMOTE, headers={"X-Key": "OTHER"}), McpFault.UNKNOWN_VARIABLE),
        (replace(REMOTE, headers={"X Key": "KEY"}), McpFault.HEADER),
        (replace(REMOTE, command="mcp-files"), McpFault.URL),
        (replace(REMOTE, url=""), McpFault.URL),
        (replace(REMOTE, url="file:///etc"), McpFault.URL),
        (replace(REMOTE, url="https://me:word@mcp.example"), McpFault.URL),
        (replace(REMOTE, url="https://mcp.example/#part"), McpFault.URL),
        (replace(REMOTE, url="https://[mcp"), McpFault.URL),
    ],
)
def test_a_server_that_could_not_be_reached_is_refused(server: McpServer, fault: McpFault) -> None:
    assert check_servers((server,), NAMES) == Failure(InvalidMcpServer(0, fault))


@requirement("profile:mcp")
def test_no_two_servers_have_one_name() -> None:
    again = replace(REMOTE, name=COMMAND.name)

    assert check_servers((COMMAND, again), NAMES) == Failure(
        InvalidMcpServer(1, McpFault.NAME_TAKEN)
    )


@requirement("profile:mcp")
@pytest.mark.parametrize("over", [0, 1])
def test_servers_are_held_to_their_bounds(over: int) -> None:
    many = tuple(replace(COMMAND, name=f"s{index}") for index in range(MAX_MCP_SERVERS + over))
    bare = McpServer("s", STDIO, "c")
    long = (replace(bare, arguments=("x" * (MAX_MCP_BYTES - 2 + over),)),)

    if over:
        assert check_servers(many, NAMES) == Failure(InvalidMcpServer(32, McpFault.TOO_MANY))
        assert check_servers(long, NAMES) == Failure(InvalidMcpServer(0, McpFault.TOO_LONG))
    else:
        assert check_servers(many, NAMES) == Success(many)
        assert check_servers(long, NAMES) == Success(long)


@requirement("profile:mcp")
def test_a_server_is_given_the_values_that_it_names_and_prints_none() -> None:
    values = {"KEY": "shown-nowhere", "OTHER": "unasked"}

    command, remote = given(COMMAND, values), given(REMOTE, values)

    assert command == GivenMcpServer(
        "files", STDIO, "mcp-files", ("--root", "."), {"KEY": "shown-nowhere"}, "", {}
    )
    assert (remote.environment, remote.headers) == ({}, {"X-Key": "shown-nowhere"})
    assert "shown-nowhere" not in f"{command}{remote}"
