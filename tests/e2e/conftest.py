"""Homes, repositories and forges for whole-process tests."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from tests.e2e.kandev import Installation

TOKEN = "forge-token-0123456789abcdef"


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path / "home")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of the user's, clean, with one commit on `main`."""
    path = tmp_path / "project"
    git("init", "--quiet", "--initial-branch=main", str(path), at=tmp_path)
    (path / "README.md").write_text("# Project\n", encoding="utf-8")
    git("add", "--all", at=path)
    git("commit", "--quiet", "-m", "Begin", at=path)
    return path


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Forge]:
    with Forge(tmp_path / "forge", TOKEN) as running:
        running.create("acme/app", {"README.md": "# App\n"})
        running.create("acme/other", {"README.md": "# Other\n"})
        yield running


def git(*arguments: str, at: Path) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=Test", "-c", "user.email=test@localhost", *arguments],
        cwd=at,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": "/"},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return done.stdout.strip()
