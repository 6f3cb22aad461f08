"""`kandev ledger`: what was done with leases, for whom and with which outcome."""

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
from domain.ledger import Operation

__all__ = ("main",)

FILTERS = ("workspace", "task", "session", "repository")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev ledger", description=__doc__)
    for name in FILTERS:
        made.add_argument(f"--{name}", metavar="ID", help=f"only what belongs to this {name}")
    made.add_argument("--host", help="only what concerns this host")
    made.add_argument("--operation", choices=[each.value for each in Operation])
    made.add_argument("--result", metavar="CODE", help="`granted`, a code, ...")
    made.add_argument("--format", choices=("table", "jsonl", "csv"), default="table")
    return made


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    return reported(lambda: asyncio.run(show(chosen)))


async def show(chosen: argparse.Namespace) -> int:
    asked = {f"{name}_id": getattr(chosen, name) for name in FILTERS}
    asked |= {name: getattr(chosen, name) for name in ("host", "operation", "result")}
    query = {name: value for name, value in asked.items() if value is not None}
    async with reach(read_settings(os.environ)) as client:
        if chosen.format == "table":
            await show_table(client, query)
        else:
            path = f"/api/v1/ledger/export?{urlencode({**query, 'format': chosen.format})}"
            async for part in client.text(path):
                sys.stdout.write(part)
    return 0


async def show_table(client: Client, query: dict[str, str]) -> None:
    after = 0
    while True:
        page = await client.get(f"/api/v1/ledger?{urlencode({**query, 'after': after})}")
        for entry in page:
            sys.stdout.write(row(entry))
        if not page:
            return
        after = page[-1]["sequence"]


def row(entry: dict[str, Any]) -> str:
    outcome = entry["result"] + (f" ({entry['detail']})" if entry["detail"] else "")
    where = entry["host"] + entry["path"]
    who = entry["actor"] or "unknown"
    session = entry["session_id"] or "-"
    return f"{entry['at']}  {entry['operation']:6}  {outcome}  {where}  {who}  {session}\n"
