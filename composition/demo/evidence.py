"""The agent asks for Kandev's evidence, unpacks it, and looks for itself in the log."""

import asyncio
import json
import shlex
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final

from composition.demo.report import Report

__all__ = ("ask_for_evidence",)

_ASK: Final = 'mcp:kandev:get_diagnostic_bundle_kandev({"source": "backend"})'
_LOOK: Final = (
    "import os, sys, zipfile\n"
    "with zipfile.ZipFile(sys.argv[1]) as bundle:\n"
    "    log = bundle.read('backend/backend-logs.log').decode().splitlines()\n"
    "own = os.environ['KANDEV_TASK_ID']\n"
    "print(sum(own in line for line in log))\n"
)

Event = dict[str, Any]  # as the server's stream has it


async def ask_for_evidence(
    prompt: Callable[[str], Awaitable[Sequence[Event]]], worktree: Path, report: Report
) -> None:
    """Two turns: what the tool gives, then what the agent finds in it."""
    answers = said(await prompt(f"e2e:\n{_ASK}"))
    given = json.loads(answers[0]) if answers else {}
    path = given.get("path", "")
    report.step("the agent asked for a diagnostic bundle through its tool")
    look = shlex.join([sys.executable, "-I", "-c", _LOOK, path])
    found = said(await prompt(f"e2e:\nrun({json.dumps(look)})"))
    report.note(f"{given.get('bytes', 0)} bytes at {path or 'no place'}")
    hidden = await asyncio.to_thread(is_clean, worktree)
    lines = int(found[0]) if found and found[0].strip().isdigit() else 0
    report.check(
        "the agent found its own task in the log of its bundle, which git does not see",
        lines > 0 and hidden,
        f"{lines} lines with it" if lines else "nothing",
    )


def is_clean(worktree: Path) -> bool:
    """Whether git sees nothing in it but what is committed."""
    words = ["git", "-C", str(worktree), "status", "--porcelain", "--untracked-files=all"]
    status = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
    return (status.returncode, status.stdout) == (0, "")


def said(events: Sequence[Event]) -> list[str]:
    """The texts that the calls of the agent came to, in their order."""
    bodies = [each["body"] for each in events if each["kind"] == "tool_update"]
    return [
        piece["content"]["text"]
        for body in bodies
        if body.get("status") == "complete"
        for piece in body.get("content") or []
    ]
