"""A disk that is full: said with a code, and nothing of what was begun is left.

The small disk is a file system in memory, in a mount namespace of the command alone.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.conftest import git
from tests.e2e.kandev import Installation, kandev
from tests.requirements import requirement

pytestmark = pytest.mark.timeout(90)

_PRIVATELY = ("unshare", "--map-root-user", "--mount")
_ON_A_SMALL_DISK = 'mount -t tmpfs -o mode=700,size="$1" none "$2" && shift 2 && exec "$@"'


def run(installation: Installation, disk: Path, size: str, checkout: Path) -> tuple[int, str]:
    """`kandev run` where `disk` has only this much room; its exit code and its words."""
    command = kandev("run", "--repo", str(checkout), "--agent", "demo", "hello")
    done = subprocess.run(
        [*_PRIVATELY, "sh", "-c", _ON_A_SMALL_DISK, "sh", size, str(disk), *command],
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
    tasks = installation.home / "tasks"
    tasks.mkdir(mode=0o700)

    code, said = run(installation, tasks, "1m", checkout)

    assert code == 1
    assert "[disk_full]" in said
    assert "Free some space" in said
    assert git("worktree", "list", "--porcelain", at=checkout).count("worktree ") == 1
    assert git("branch", "--format=%(refname:short)", at=checkout) == "main"


@requirement("failure:disk")
def test_a_home_without_room_does_not_start_a_server(
    installation: Installation, checkout: Path
) -> None:
    code, said = run(installation, installation.home, "64k", checkout)

    assert code == 3
    assert "[disk_full]" in said
    assert "Traceback" not in said
