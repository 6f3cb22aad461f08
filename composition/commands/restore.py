"""`kandev restore`: open an archived task again, with the work that its worktrees held."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from urllib.parse import quote

from composition.commands.failures import reported
from composition.reach import reach
from composition.settings import read_settings

__all__ = ("main",)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev restore", description=__doc__)
    made.add_argument("--task", metavar="ID", required=True, help="the task to bring back")
    return made


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    return reported(lambda: asyncio.run(restore(chosen.task)))


async def restore(task: str) -> int:
    async with reach(read_settings(os.environ)) as client:
        restored = await client.post(f"/api/v1/tasks/{quote(task, safe='')}/restore")
    for each in restored["worktrees"]:
        sys.stdout.write(f"{each['repository_id']}  {each['ref']}\n")
    sys.stderr.write(f"Task {restored['task']['id']} is open.\n")
    return 0
