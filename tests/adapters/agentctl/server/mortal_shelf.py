"""`mortal_shelf.py DIRECTORY unnamed|named`: deliver a bundle, and die before each step of it.

A step is a call to the system that changes a folder. For every one a child is started in a
workspace of its own, kills itself right before it, and another shelf comes after it. One line of
JSON a child: how it died, what was there then, and what the successor left.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Final

from tests.adapters.agentctl.server.shelves import DATA, Worker, deliver, left, shelf_in

STEPS: Final = ("open", "mkdir", "write", "link", "unlink", "rmdir", "fchmod", "fsync", "replace")


def die_before(step: int) -> None:
    """Kill this process before the call of this number."""
    calls = count()

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            if next(calls) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)

        return counted

    for name in STEPS:
        setattr(os, name, watched(getattr(os, name)))


async def live(home: Path, workspace: Path, *, unnamed: bool) -> None:
    async with shelf_in(home, unnamed=unnamed) as shelf:
        (await deliver(shelf, Worker(workspace))).unwrap()
        await shelf.end(Worker(workspace).handle)


async def follow(home: Path, *, unnamed: bool) -> None:
    async with shelf_in(home, unnamed=unnamed):
        pass


def one(home: Path, step: int, *, unnamed: bool) -> bool:
    """Whether the child lived."""
    workspace = home / "workspace"
    workspace.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    child = os.fork()
    if child == 0:
        die_before(step)
        asyncio.run(live(home, workspace, unnamed=unnamed))
        os._exit(0)
    _, ended = os.waitpid(child, 0)
    found = [path.read_bytes() for path in workspace.glob(".kandev/diagnostics/*.zip")]
    status = subprocess.run(
        ["git", "-C", str(workspace), "status", "--porcelain", "-uall"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    asyncio.run(follow(home, unnamed=unnamed))
    told = {
        "killed": os.WIFSIGNALED(ended),
        "whole": all(data == DATA for data in found),
        "status": status,
        "left": sorted(each for each in left(workspace) if not each.startswith(".git")),
        "records": sorted(left(home / "bundles")),
    }
    print(json.dumps(told), flush=True)
    return not os.WIFSIGNALED(ended)


def main(directory: str, kind: str) -> None:
    for step in count():
        if one(Path(directory) / str(step), step, unnamed=kind == "unnamed"):
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
