"""`kandev mcp`: the MCP server on stdio, and what a client needs to be told to find it."""

import argparse
import asyncio
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from composition.commands.failures import reported
from composition.reach import running_server, stored_token
from composition.settings import VERSION, Settings, read_settings
from composition.start_problem import CannotStart
from domain.secret import Secret

__all__ = ("main",)

NAME: Final = "kandev"
"""What the server is called in a client's settings."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="kandev mcp", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", metavar="config")
    config = verbs.add_parser("config", help="print what to put into a client's settings")
    config.add_argument("client", metavar="CLIENT", choices=sorted(SNIPPETS), help=_clients())
    chosen = parser.parse_args(arguments)
    if chosen.verb == "config":
        return reported(lambda: show(SNIPPETS[chosen.client]))
    return reported(lambda: asyncio.run(serve(read_settings(os.environ))))


async def serve(settings: Settings) -> int:
    url = await running_server(settings.home)
    token = settings.api_token or stored_token(settings.home)
    if url is None or token is None:
        detail = f"no server runs on {settings.home}"
        raise CannotStart("not_serving", detail, "Start one with `kandev serve`.")
    # The protocol's library takes a second to import: only where it is spoken.
    from adapters.mcp.bridge import serve_stdio  # noqa: PLC0415

    await serve_stdio(url, Secret(token), VERSION)
    return 0


def show(snippet: Callable[[Sequence[str]], str]) -> int:
    sys.stdout.write(snippet(command()) + "\n")
    return 0


def command() -> Sequence[str]:
    """How a client starts this server, whatever its `PATH` and its folder."""
    installed = shutil.which(NAME)
    if installed is not None:
        return (os.path.abspath(installed), "mcp")  # noqa: PTH100 -- a link stays what it is
    return (sys.executable, "-I", "-m", "composition.cli", "mcp")


def claude_code(words: Sequence[str]) -> str:
    """The command that adds a stdio server (`claude mcp add --help`)."""
    return f"claude mcp add {NAME} -- " + shlex.join(words)


def codex(words: Sequence[str]) -> str:
    """A table of `~/.codex/config.toml`; a basic string of TOML is one of JSON."""
    return (
        f"[mcp_servers.{NAME}]\n"
        f"command = {json.dumps(words[0])}\n"
        f"args = {json.dumps(list(words[1:]))}"
    )


def json_servers(words: Sequence[str]) -> str:
    """The form that Claude Desktop, Cursor and Gemini read, and the Inspector with `--config`."""
    return _json({"mcpServers": {NAME: {"command": words[0], "args": list(words[1:])}}})


def vscode(words: Sequence[str]) -> str:
    """The contents of `mcp.json` in the user's profile."""
    started = {"type": "stdio", "command": words[0], "args": list(words[1:])}
    return _json({"servers": {NAME: started}})


def opencode(words: Sequence[str]) -> str:
    """A part of `opencode.json`."""
    return _json({"mcp": {NAME: {"type": "local", "command": list(words), "enabled": True}}})


SNIPPETS: Final[Mapping[str, Callable[[Sequence[str]], str]]] = {
    "claude-code": claude_code,
    "claude-desktop": json_servers,
    "codex": codex,
    "cursor": json_servers,
    "gemini": json_servers,
    "inspector": json_servers,
    "opencode": opencode,
    "vscode": vscode,
}


def _clients() -> str:
    return ", ".join(sorted(SNIPPETS))


def _json(value: object) -> str:
    return json.dumps(value, indent=2)
