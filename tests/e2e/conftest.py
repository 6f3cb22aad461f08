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


@pytest.fixture
def ambient(installation: Installation, tmp_path: Path) -> Path:
    """Every other way to a credential: each would answer, and writes down that it was asked."""
    asked = tmp_path / "asked"
    program = tmp_path / "ambient"
    program.write_text(
        f"#!/bin/sh\necho $0 >> {asked}\necho username=ambient\necho password=ambient-secret\n"
    )
    program.chmod(0o755)
    (installation.home / ".gitconfig").write_text(
        f"[credential]\n\thelper = {program}\n[core]\n\taskPass = {program}\n"
    )
    installation.environment |= {
        "GIT_ASKPASS": str(program),
        "SSH_ASKPASS": str(program),
        "SSH_ASKPASS_REQUIRE": "force",
        "GITHUB_TOKEN": "ambient-token-0123456789",
        "GH_TOKEN": "ambient-token-0123456789",
        "GIT_CONFIG_PARAMETERS": f"'credential.helper={program}'",
    }
    return asked


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
