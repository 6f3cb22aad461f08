"""The installed git as a judge: run in an empty home, with nothing of this machine's configuration."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_IDENTITY = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (
        ("NAME", "A"),
        ("EMAIL", "a@example.invalid"),
        ("DATE", "1700000000 +0000"),
    )
}


class Answer(NamedTuple):
    exit: int
    stdout: bytes


def isolated(home: Path) -> dict[str, str]:
    """An environment in which git reads no configuration but what a test gives it."""
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
        **_IDENTITY,
    }


def run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: str = ""
) -> Answer:
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        input=os.fsencode(stdin),
        capture_output=True,
        timeout=30,
        check=False,
    )
    return Answer(done.returncode, done.stdout)


def listing(folder: Path, block: Mapping[str, str]) -> Answer:
    """What `git config --list -z` makes of a block; a block that git refuses exits with 128."""
    return run(["git", "config", "--list", "-z"], folder, {**isolated(folder), **block})
