"""A git of ours, a host that has its own configuration, and a forge with two repositories."""

import os
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from adapters.git.closed import MirroredGit
from adapters.git.closed_command import ClosedCommands
from adapters.git.process import LocalGit
from adapters.process.spawn import LocalProcesses
from adapters.redactor.registry import Registry
from domain.redaction import Redactor
from domain.secret import Secret
from ports.git import RemoteAccess

TOKEN = f"tok-{uuid.uuid4().hex}"
"""Of this test process alone: another may show its own to whoever looks."""

Git = Callable[..., str]


@pytest.fixture
def host(tmp_path: Path) -> dict[str, str]:
    """The environment of a person who has a home with git settings."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n",
        encoding="utf-8",
    )
    return {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture
def run(host: dict[str, str]) -> Git:
    """What a person does with git; fails the test when git fails."""

    def git(directory: Path, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=directory,
            env=host,
            capture_output=True,
            timeout=60,
            check=True,
        )
        return done.stdout.decode().strip()

    return git


@pytest.fixture
def repository(tmp_path: Path, run: Git) -> Path:
    """A repository of the person's with one commit on `main`."""
    path = tmp_path / "repository"
    path.mkdir()
    run(path, "init", "--quiet")
    (path / "README").write_text("hello\n", encoding="utf-8")
    run(path, "add", "README")
    run(path, "commit", "--quiet", "--message=Begin")
    return path


@pytest.fixture
def git() -> LocalGit:
    return LocalGit(LocalProcesses(None), Registry(Redactor()))


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Forge]:
    root = tmp_path / "forge"
    root.mkdir()
    with Forge(root, TOKEN) as forge:
        forge.create("app", {"README": "hello\n"})
        forge.create("other", {"README": "private\n"})
        forge.forbidden.add("other")
        yield forge


@pytest.fixture
def closed(tmp_path: Path, git: LocalGit, host: dict[str, str]) -> MirroredGit:
    home = tmp_path / "kandev"
    folders = [home / name for name in ("mirrors", "repos", "tmp", "run")]
    for folder in folders:
        folder.mkdir(parents=True)
    mirrors, clones, temporary, sockets = folders
    return MirroredGit(
        git=git,
        closed=ClosedCommands(git, sockets, host),
        mirrors=mirrors,
        clones=clones,
        temporary=temporary,
        parent=host,
    )


def access(forge: Forge, name: str = "app", token: str = TOKEN) -> RemoteAccess:
    return RemoteAccess(forge.url(name), "agent", Secret(token), forge.authority)
