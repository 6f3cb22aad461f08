"""`kandev queue`: the prompts that wait for a session's agent."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from composition.client import Client
from composition.commands.failures import reported
from composition.reach import reach
from composition.settings import read_settings

__all__ = ("main",)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev queue", description=__doc__)
    made.add_argument("--session", metavar="ID", required=True, help="whose agent it is")
    verbs = made.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("list", help="show what waits, the next first")
    add = verbs.add_parser("add", help="put a prompt behind the others")
    add.add_argument("text", metavar="PROMPT")
    edit = verbs.add_parser("edit", help="give a prompt that waits other words")
    edit.add_argument("prompt", metavar="ID")
    edit.add_argument("text", metavar="PROMPT")
    remove = verbs.add_parser("remove", help="take a prompt away")
    remove.add_argument("prompt", metavar="ID")
    reorder = verbs.add_parser("reorder", help="name every prompt that waits, the next first")
    reorder.add_argument("prompts", metavar="ID", nargs="+")
    send = verbs.add_parser("send", help="send a prompt now; a turn that runs is cancelled")
    send.add_argument("prompt", metavar="ID")
    return made


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    return reported(lambda: asyncio.run(run(chosen)))


async def run(chosen: argparse.Namespace) -> int:
    async with reach(read_settings(os.environ)) as client:
        path = f"/api/v1/sessions/{quote(chosen.session, safe='')}/queue"
        await change(client, path, chosen)
        queue = await client.get(path)
    for each in queue["prompts"]:
        sys.stdout.write(line(each))
    return 0


async def change(client: Client, path: str, chosen: argparse.Namespace) -> None:
    one = f"{path}/{quote(getattr(chosen, 'prompt', ''), safe='')}"
    match chosen.verb:
        case "add":
            await client.post(path, {"text": chosen.text})
        case "edit":
            await client.put(one, {"text": chosen.text})
        case "remove":
            await client.delete(one)
        case "reorder":
            await client.put(path, {"prompt_ids": chosen.prompts})
        case "send":
            await client.post(f"{one}/send")
        case _:
            """The list is shown in any case."""


def line(prompt: dict[str, Any]) -> str:
    """The id and the first line of a prompt."""
    first = next(iter(prompt["text"].strip().splitlines()), "")
    return f"{prompt['id']}  {first}\n"
