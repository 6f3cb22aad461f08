"""A disk that is full: said with a code, and nothing of what was begun is left."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e import small_disk
from tests.e2e.conftest import git
from tests.e2e.kandev import Installation, kandev
from tests.requirements import requirement

pytestmark = pytest.mark.timeout(90)

PAGE = 4 * 1024
"""What a database writes at once, and more than any other file of a new home takes."""

PIECE = 16 * 1024
"""What git writes of a file at once, and more than anything writes before the checkout."""


def run(installation: Installation, room: int, checkout: Path) -> tuple[int, str]:
    """`kandev run` where nothing finds this much room at once; its exit code and its words."""
    command = kandev("run", "--repo", str(checkout), "--agent", "demo", "hello")
    done = subprocess.run(
        [sys.executable, "-I", small_disk.__file__, str(room), *command],
        env=installation.environment,
        capture_output=True,
        text=True,
        timeout=80,
        check=False,
    )
    return done.returncode, done.stderr


@requirement("failure:disk")
def test_a_worktree_that_does_not_fit_leaves_neither_itself_nor_its_branch(
    installation: Installation, checkout: Path
) -> None:
    (checkout / "large").write_bytes(os.urandom(3 * 1024 * 1024))
    git("add", "--all", at=checkout)
    git("commit", "--quiet", "-m", "Grow", at=checkout)

    code, said = run(installation, PIECE, checkout)

    assert code == 1
    assert "[disk_full]" in said
    assert "Free some space" in said
    assert git("worktree", "list", "--porcelain", at=checkout).count("worktree ") == 1
    assert git("branch", "--format=%(refname:short)", at=checkout) == "main"


@requirement("failure:disk")
def test_a_home_without_room_does_not_start_a_server(
    installation: Installation, checkout: Path
) -> None:
    code, said = run(installation, PAGE, checkout)

    assert code == 3
    assert "[disk_full]" in said
    assert "Traceback" not in said
