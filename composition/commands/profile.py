"""`kandev profile`: list, show, set and remove the profiles of a workspace.

The value of a secret is a line of standard input, asked for at a terminal: never a word of the
command, where every process of the machine could read it.
"""

import argparse
import asyncio
import getpass
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from composition.client import Client
from composition.commands.failures import reported
from composition.commands.run import WORKSPACE, content, workspace_named
from composition.memory import hide_memory
from composition.profile_client import KINDS, all_of, find, named, path_of
from composition.reach import reach
from composition.settings import read_settings
from domain.execution import ExecutorType

__all__ = ("main",)

FIELDS = {
    "agent": ("agent", "model", "system_prompt", "mcp_servers"),
    "executor": ("executor",),
}
"""What each kind has beside its name and its variables."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev profile", description=__doc__.split("\n\n")[0])
    made.add_argument("--workspace", default=WORKSPACE, metavar="NAME", help="default: %(default)s")
    verbs = made.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("list", help="kind, name, id and choice of each")
    for verb, summary in {
        "show": "one profile as JSON, without its secrets",
        "set": "make a profile, or change what is named",
        "remove": "remove a profile with its secrets",
    }.items():
        named = verbs.add_parser(verb, help=summary)
        named.add_argument("kind", choices=KINDS)
        named.add_argument("name")
        if verb == "set":
            choices(named)
    return made


def choices(made: argparse.ArgumentParser) -> None:
    made.add_argument("--agent", metavar="NAME", help="see `kandev agents`")
    made.add_argument("--model", metavar="NAME")
    made.add_argument("--system-prompt", metavar="FILE", type=content)
    made.add_argument("--mcp-servers", metavar="FILE", type=servers, help="a JSON array")
    made.add_argument("--executor", choices=[each.value for each in ExecutorType])
    made.add_argument("--env", metavar="NAME=VALUE", type=assignment, action="append", default=[])
    made.add_argument(
        "--secret",
        metavar="NAME",
        action="append",
        default=[],
        help="its value is a line of standard input, in the order of the names",
    )
    made.add_argument("--unset", metavar="NAME", action="append", default=[])


def servers(file: str) -> list[Any]:
    try:
        read = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{file} cannot be read as JSON") from error
    if not isinstance(read, list):
        raise argparse.ArgumentTypeError(f"{file} holds no array")
    return read


def assignment(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError("write NAME=VALUE")
    return name, value


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    hide_memory()
    return reported(lambda: asyncio.run(act(chosen, dict(secrets(chosen)))))


async def act(chosen: argparse.Namespace, given: dict[str, str]) -> int:
    async with reach(read_settings(os.environ)) as client:
        workspace = await workspace_named(client, chosen.workspace)
        if chosen.verb == "list":
            await show_all(client, workspace)
            return 0
        if chosen.verb == "set":
            stored = await put(client, workspace, chosen, given)
            sys.stdout.write(json.dumps(stored) + "\n")
            return 0
        profile = await named(client, chosen.kind, workspace, chosen.name)
        if chosen.verb == "show":
            sys.stdout.write(json.dumps(profile) + "\n")
        else:
            await client.delete(f"{path_of(chosen.kind)}/{profile['id']}")
    return 0


async def show_all(client: Client, workspace: str) -> None:
    for kind in KINDS:
        async for profile in all_of(client, kind, workspace):
            missing = ", ".join(profile["missing_secrets"])
            note = f"  missing: {missing}" if missing else ""
            choice = " ".join(filter(None, (profile[kind], profile.get("model"))))
            sys.stdout.write(f"{kind:8}  {profile['name']}  {profile['id']}  {choice}{note}\n")


async def put(
    client: Client, workspace: str, chosen: argparse.Namespace, given: dict[str, str]
) -> dict[str, Any]:
    """What is named changes, the rest stays as it is stored."""
    before = await find(client, chosen.kind, workspace, chosen.name)
    body = wanted(before or {}, chosen, given)
    path = path_of(chosen.kind)
    stored: dict[str, Any]
    if before is None:
        stored = await client.post(path, {"workspace_id": workspace, **body})
    else:
        body["version"] = before["version"]
        stored = await client.put(f"{path}/{before['id']}", body)
    return stored


def wanted(
    before: dict[str, Any], chosen: argparse.Namespace, given: dict[str, str]
) -> dict[str, Any]:
    gone = {*chosen.unset, *given}
    environment = {
        name: value for name, value in before.get("environment", {}).items() if name not in gone
    }
    kept = dict.fromkeys(before.get("secrets", ()))
    replaced = {*chosen.unset, *dict(chosen.env)}
    fields = {
        name: before.get(name) if getattr(chosen, name) is None else getattr(chosen, name)
        for name in FIELDS[chosen.kind]
    }
    return {
        "name": chosen.name,
        **{name: value for name, value in fields.items() if value is not None},
        "environment": {**environment, **dict(chosen.env)},
        "secrets": {name: None for name in kept if name not in replaced} | given,
    }


def secrets(chosen: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Each name with its value, from the terminal or the next line of standard input."""
    for name in getattr(chosen, "secret", ()):
        if sys.stdin.isatty():
            yield name, getpass.getpass(f"{name}: ")
        else:
            yield name, sys.stdin.readline().rstrip("\n")
