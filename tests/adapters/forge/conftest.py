"""A forge with one repository, and git as a client that trusts it."""

import http.client
import os
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.forge.forge import Forge

TOKEN = "tok-0123456789abcdef"

Git = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Forge]:
    with Forge(tmp_path / "forge", TOKEN) as forge:
        forge.create("team/app", {"src/greeting.txt": "hello\n"})
        yield forge


@pytest.fixture
def git(tmp_path: Path, forge: Forge) -> Git:
    authority = tmp_path / "authority.pem"
    authority.write_text(forge.authority, encoding="ascii")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_SSL_CAINFO": str(authority),
        "LC_ALL": "C",
    }

    def run(*arguments: str, token: str = TOKEN) -> "subprocess.CompletedProcess[str]":
        helper = f"!printf 'username=ada\\npassword={token}\\n'; :"
        return subprocess.run(
            ["git", "-c", f"credential.helper={helper}", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    return run


@pytest.fixture
def clone(tmp_path: Path, forge: Forge, git: Git) -> Path:
    done = git("clone", "--quiet", forge.url("team/app"), "clone")
    assert done.returncode == 0, done.stderr
    for name, value in (("name", "Ada"), ("email", "ada@example.org")):
        git("-C", "clone", "config", f"user.{name}", value)
    return tmp_path / "clone"


def commit(git: Git, clone: Path, content: bytes) -> None:
    (clone / "work").write_bytes(content)
    git("-C", "clone", "add", "work")
    assert git("-C", "clone", "commit", "--quiet", "--message=Work").returncode == 0


def connect(forge: Forge) -> http.client.HTTPSConnection:
    context = ssl.create_default_context(cadata=forge.authority)
    host, port = forge.host.split(":")
    return http.client.HTTPSConnection(host, int(port), context=context, timeout=20)
