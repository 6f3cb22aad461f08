"""`kandev demo`: watch the product do its job, in a home of its own, in under a minute."""

import argparse
import asyncio
import os
import secrets
import shutil
import sys
from collections.abc import Sequence

from adapters.forge.forge import Forge
from composition.client import connect
from composition.commands.failures import reported
from composition.demo import process_scan, stage
from composition.demo.real_agent import meet
from composition.demo.report import Report
from composition.demo.story import Story
from composition.memory import hide_memory
from composition.server import started

__all__ = ("main",)

EXIT_FAILED = 1


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="kandev demo", description=__doc__)
    parser.add_argument("--json", action="store_true", help="the same as one JSON object")
    parser.add_argument("--keep", action="store_true", help="leave the home to look around")
    parser.add_argument("--agent", metavar="NAME", help="a real agent, as far as it goes")
    chosen = parser.parse_args(arguments)
    hide_memory()
    return reported(lambda: asyncio.run(demonstrate(chosen)))


async def demonstrate(chosen: argparse.Namespace) -> int:
    report = Report(chosen.json)
    folder = stage.temporary_folder()
    token = secrets.token_hex(20)
    try:
        with Forge(folder / "forge", token) as forge:
            set_up = stage.prepare(forge, folder, os.environ)
            report.step(f"started a forge at https://{forge.host}, which takes one token")
            await play(set_up, report, token, chosen.agent)
            look_behind(set_up, report, token)
    finally:
        if chosen.keep:
            sys.stderr.write(
                f"Look around: KANDEV_HOME={folder / 'home'} kandev serve\n"
                f"The forge's repositories are in {folder / 'forge'}; remove {folder} at the end.\n"
            )
        else:
            shutil.rmtree(folder, ignore_errors=True)
    report.close()
    return 0 if report.held else EXIT_FAILED


async def play(set_up: stage.Stage, report: Report, token: str, agent: str | None) -> None:
    async with (
        started(set_up.settings, port=0, owned=True, environment=set_up.host) as server,
        connect(server.url, server.token) as client,
    ):
        report.step(f"started Kandev at {server.url}")
        story = Story(set_up, client, report, token)
        await story.tell()
        if agent is not None:
            await meet(client, story, agent)


def look_behind(set_up: stage.Stage, report: Report, token: str) -> None:
    """After everything has ended: no process, no socket, and the token in no file."""
    left = process_scan.with_mark(set_up.mark)
    report.check("no process is left", not left, f"{len(left)} left" if left else "none")
    sockets = [path for path in set_up.folder.rglob("*") if path.is_socket()]
    report.check("no socket is left", not sockets, f"{len(sockets)} left" if sockets else "none")
    files = [path for path in set_up.folder.rglob("*") if path.is_file() and not path.is_symlink()]
    holding = [path.name for path in files if token.encode() in path.read_bytes()]
    report.check(
        "the token is in no file of the run",
        not holding,
        ", ".join(holding) or f"{len(files)} files",
    )
