import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest

from adapters.git import credential_socket
from domain import git_config
from domain.git_config import Entry
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

IDENTITY = RepositoryIdentity("git.example.org:8443", "/team/app")
OWN = "protocol=https\nhost=git.example.org:8443\npath=team/app.git\n\n"


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, Mapping[str, Any]]:
    return "asyncio", {"use_uvloop": request.param}


async def _credential(
    entries: tuple[Entry, ...], request: str, home: Path, action: str = "fill"
) -> "subprocess.CompletedProcess[str]":
    """What git itself gets when it asks for a credential under these entries."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
    } | git_config.serialize((Entry("credential.helper", ""), *entries))

    def ask() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["git", "credential", action],
            input=request,
            capture_output=True,
            text=True,
            env=environment,
            cwd=home,
            timeout=20,
            check=False,
        )

    return await anyio.to_thread.run_sync(ask)


@requirement("git:credential:own-repository")
async def test_git_gets_the_credential_of_its_own_repository(tmp_path: Path) -> None:
    async with credential_socket.serve(tmp_path, IDENTITY, "agent", Secret("s3cret")) as entries:
        for _ in range(2):
            answered = await _credential(entries, OWN, tmp_path)
            assert answered.returncode == 0
            assert {"username=agent", "password=s3cret"} <= set(answered.stdout.splitlines())


@requirement("git:credential:own-repository")
@pytest.mark.parametrize(
    "request_text",
    [
        OWN.replace("team/app", "team/other"),
        OWN.replace(":8443", ""),
        OWN.replace("git.example.org", "evil.example.org"),
        OWN.replace("https", "http"),
        "protocol=https\nhost=git.example.org:8443\n\n",
    ],
    ids=["other-path", "other-port", "other-host", "plain-http", "no-path"],
)
async def test_nothing_else_is_answered_and_git_asks_nobody_else(
    tmp_path: Path, request_text: str
) -> None:
    asked = tmp_path / "asked"
    second = Entry("credential.helper", f"!touch '{asked}'; :")
    async with credential_socket.serve(tmp_path, IDENTITY, "agent", Secret("s3cret")) as entries:
        answered = await _credential((*entries, second), request_text, tmp_path)

    assert answered.returncode == 128
    assert "s3cret" not in answered.stdout + answered.stderr
    assert not asked.exists()


@requirement("git:credential:socket")
async def test_the_socket_is_ours_alone_and_goes_with_the_command(tmp_path: Path) -> None:
    socket = tmp_path / "credential"
    async with credential_socket.serve(tmp_path, IDENTITY, "agent", Secret("s3cret")) as entries:
        mode = socket.stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600

    assert (await _credential(entries, OWN, tmp_path)).returncode == 128


@requirement("git:credential:socket")
async def test_what_git_tells_a_helper_starts_no_daemon_and_is_kept_nowhere(
    tmp_path: Path,
) -> None:
    known = OWN.replace("\n\n", "\nusername=agent\npassword=s3cret\n\n")
    async with credential_socket.serve(tmp_path, IDENTITY, "agent", Secret("s3cret")) as entries:
        for action in ("approve", "reject"):
            assert (await _credential(entries, known, tmp_path, action)).returncode == 0
        assert (await _credential(entries, OWN, tmp_path)).returncode == 0
    await _credential(entries, known, tmp_path, "approve")

    assert [path.name for path in tmp_path.rglob("*")] in (["credential"], [])
