"""`kandev explain git`: what git sees in a session, where it came from, and what stays open."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from composition.commands.failures import reported
from composition.reach import attach
from composition.settings import read_settings
from composition.terminal import plain
from domain.git_configuration_effects import Action
from domain.open_channels import Channel

__all__ = ("main",)

EFFECTS: Final[Mapping[str, str]] = {
    Action.SETS: "sets",
    Action.ADDS: "adds to the list",
    Action.OVERRIDES: "overrides",
    Action.RESETS: "resets",
    Action.INCLUDES: "includes a file",
    Action.REWRITES: "rewrites addresses",
    Action.REWRITES_SCHEME: "rewrites to another scheme",
    Action.REWRITES_HOST: "rewrites to another host",
    Action.REWRITES_TO_SSH: "rewrites to SSH",
}

CHANNELS: Final[Mapping[str, str]] = {
    Channel.NETRC: ".netrc answers before any helper is asked",
    Channel.EXTRA_HEADER: "a header is sent whatever the helper says",
    Channel.COOKIE_FILE: "cookies are sent whatever the helper says",
    Channel.HELPER_RESET: "the managed helper is taken away again",
    Channel.REWRITE_TO_SSH: "an address is rewritten to SSH, which asks no helper",
    Channel.REWRITE_ELSEWHERE: "an address is rewritten to another scheme or host",
    Channel.SSH_REMOTE: "a remote is reached over SSH, which asks no helper",
    Channel.SSH_AGENT: "an SSH agent signs for whoever asks it",
    Channel.CREDENTIAL_IN_REMOTE: "a remote has a credential in its URL",
    Channel.INCLUDED_FILE: "a file is included that is not shown here",
    Channel.QUOTED_CONFIGURATION: "configuration that git reads after this list",
    Channel.AMBIENT_TOKEN: "a token in the environment, which tools read",
    Channel.ASKPASS: "a program may ask for a password",
    Channel.UNVERIFIED_SERVER: "a server's certificate is not verified",
    Channel.UNREDACTED_TRACE: "git's traces show credentials",
}

NOTHING = "Nothing was found that goes around the managed helper."


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev explain", description=__doc__)
    topics = made.add_subparsers(dest="topic", metavar="TOPIC", required=True)
    git = topics.add_parser("git", help="the configuration that git reads from the environment")
    git.add_argument("--session", required=True, metavar="ID", help="a session whose agent runs")
    git.add_argument("--json", action="store_true", help="one JSON object")
    return made


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    return reported(lambda: asyncio.run(show(chosen)))


async def show(chosen: argparse.Namespace) -> int:
    async with attach(read_settings(os.environ)) as client:
        told = await client.get(f"/api/v1/sessions/{chosen.session}/git-configuration")
    text = json.dumps(told) if chosen.json else "\n".join(lines(told))
    sys.stdout.write(text + "\n")
    return 0


def lines(told: dict[str, Any]) -> Iterator[str]:
    """The table, the names that were taken, and the channels that stay open."""
    rows = [
        (str(each["position"]), each["key"], each["value"], each["layer"], effect(each))
        for each in told["entries"]
    ]
    yield from table([("", "KEY", "VALUE", "LAYER", "EFFECT"), *rows])
    if told["removed"]:
        yield ""
        yield f"taken from the environment: {', '.join(map(shown, told['removed']))}"
    yield ""
    yield from (channel(each) for each in told["channels"])
    for each in told["unseen"]:
        yield f"not looked at ({each['code']}): {shown(each['checkout']) or 'the checkout'}"
    if not told["channels"] and not told["unseen"]:
        yield NOTHING


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    clean = [[shown(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*clean, strict=True)]
    for row in clean:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()


def effect(entry: dict[str, Any]) -> str:
    touched = ", ".join(map(str, entry["positions"]))
    return f"{EFFECTS.get(entry['action'], entry['action'])} {touched}".rstrip()


def channel(found: dict[str, Any]) -> str:
    places = [f"entry {position}" for position in found["positions"]]
    places += [shown(name) for name in found["names"]]
    what = CHANNELS.get(found["channel"], found["channel"])
    return f"open: {what} ({', '.join(places)})"


def shown(text: str) -> str:
    """On one line, without what could steer the terminal."""
    return plain(text.replace("\n", "\\n").replace("\t", "\\t"))
