"""`kandev audit`: who did what to accounts, tokens, connections and policies."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from composition.client import Client
from composition.commands.failures import reported
from composition.reach import reach
from composition.settings import read_settings

__all__ = ("main",)

PATH = "/api/v1/audit"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev audit", description=__doc__)
    made.add_argument("--format", choices=("table", "jsonl"), default="table")
    return made


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    return reported(lambda: asyncio.run(show(chosen)))


async def show(chosen: argparse.Namespace) -> int:
    async with reach(read_settings(os.environ)) as client:
        if chosen.format == "table":
            await show_table(client)
        else:
            async for part in client.text(f"{PATH}/export"):
                sys.stdout.write(part)
    return 0


async def show_table(client: Client) -> None:
    after = 0
    while page := await client.get(f"{PATH}?{urlencode({'after': after})}"):
        for entry in page:
            sys.stdout.write(row(entry))
        after = page[-1]["sequence"]


def row(entry: dict[str, Any]) -> str:
    what = entry["deed"] + (f" ({entry['detail']})" if entry["detail"] else "")
    return f"{entry['at']}  {entry['actor']}  {what}  {entry['subject'] or '-'}\n"
