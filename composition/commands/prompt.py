"""`kandev prompt`: list, show, set and remove the saved prompts of a workspace."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import urlencode

from composition.client import ApiError, Client
from composition.commands.failures import reported
from composition.commands.run import WORKSPACE, content, workspace_named
from composition.reach import reach
from composition.settings import read_settings

__all__ = ("main",)

PATH = "/api/v1/prompts"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev prompt", description=__doc__)
    made.add_argument("--workspace", default=WORKSPACE, metavar="NAME", help="default: %(default)s")
    verbs = made.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("list", help="name, arguments and description of each")
    for verb, summary in {
        "show": "one prompt as JSON",
        "set": "make a prompt, or change what is named",
        "remove": "remove a prompt",
    }.items():
        named = verbs.add_parser(verb, help=summary)
        named.add_argument("name")
        if verb == "set":
            choices(named)
    return made


def choices(made: argparse.ArgumentParser) -> None:
    made.add_argument("--text", metavar="FILE", type=content, help="`{{name}}` is filled in")
    made.add_argument("--description", metavar="LINE")
    made.add_argument(
        "--argument",
        metavar="NAME[?][=DESCRIPTION]",
        type=argument,
        action="append",
        help="all of them anew; with `?` it may be left out",
    )


def argument(word: str) -> dict[str, Any]:
    name, _, description = word.partition("=")
    return {
        "name": name.removesuffix("?"),
        "description": description,
        "required": not name.endswith("?"),
    }


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    return reported(lambda: asyncio.run(act(chosen)))


async def act(chosen: argparse.Namespace) -> int:
    async with reach(read_settings(os.environ)) as client:
        workspace = await workspace_named(client, chosen.workspace)
        if chosen.verb == "list":
            async for each in all_of(client, workspace):
                sys.stdout.write(line(each))
            return 0
        found = await find(client, workspace, chosen.name)
        if chosen.verb == "set":
            found = await put(client, workspace, found, chosen)
        if found is None:
            detail = f"There is no prompt {chosen.name!r} in this workspace."
            raise ApiError(404, "prompt_not_found", detail, "`kandev prompt list` says which are.")
        if chosen.verb == "remove":
            await client.delete(f"{PATH}/{found['id']}")
        else:
            sys.stdout.write(json.dumps(found) + "\n")
    return 0


async def all_of(client: Client, workspace: str) -> AsyncIterator[dict[str, Any]]:
    """Every prompt of a workspace, by id."""
    after = ""
    while True:
        query = urlencode({"workspace_id": workspace, "after": after})
        page = await client.get(f"{PATH}?{query}")
        for prompt in page:
            yield prompt
        if not page:
            return
        after = page[-1]["id"]


async def find(client: Client, workspace: str, name: str) -> dict[str, Any] | None:
    async for prompt in all_of(client, workspace):
        if prompt["name"] == name:
            return prompt
    return None


async def put(
    client: Client, workspace: str, before: dict[str, Any] | None, chosen: argparse.Namespace
) -> dict[str, Any]:
    """What is named changes, the rest stays as it is stored."""
    body = wanted(before or {}, chosen)
    stored: dict[str, Any]
    if before is None:
        stored = await client.post(PATH, {"workspace_id": workspace, **body})
    else:
        stored = await client.put(f"{PATH}/{before['id']}", {"version": before["version"], **body})
    return stored


def wanted(before: dict[str, Any], chosen: argparse.Namespace) -> dict[str, Any]:
    given = {
        "text": chosen.text,
        "description": chosen.description,
        "arguments": chosen.argument,
    }
    kept = {name: before.get(name, default) for name, default in EMPTY.items()}
    changed = {name: value for name, value in given.items() if value is not None}
    return {"name": chosen.name, **kept, **changed}


EMPTY: dict[str, Any] = {"text": "", "description": "", "arguments": []}
"""What a prompt says that nothing was written of."""


def line(prompt: dict[str, Any]) -> str:
    arguments = " ".join(
        each["name"] if each["required"] else f"[{each['name']}]" for each in prompt["arguments"]
    )
    return "  ".join(filter(None, (prompt["name"], arguments, prompt["description"]))) + "\n"
