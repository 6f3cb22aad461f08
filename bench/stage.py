"""What benchmarks of the running product share: a home in memory, a repository, a session."""

import asyncio
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from adapters.forge.forge import Forge
from composition.client import Client, connect
from composition.server import started
from composition.settings import Settings, read_settings

__all__ = (
    "APP",
    "Talk",
    "folder",
    "installation",
    "launch",
    "managed_session",
    "project",
    "running",
    "task",
)

APP: Final = "acme/app"
TOKEN: Final = "benchmark-token-2f6b1c"
TURN_SECONDS: Final = 120.0

Json = dict[str, Any]  # answers of the server, read by key


@contextmanager
def folder() -> Iterator[Path]:
    """In memory where there is a place for it: disks differ, and some delete slowly."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(
        prefix="kandev-bench-", dir=memory if memory.is_dir() else None, ignore_cleanup_errors=True
    ) as name:
        yield Path(name).resolve()


def project(path: Path, files: int) -> Path:
    """A repository of the user's with this many files on `main`."""
    path.mkdir()
    for number in range(files):
        place = path / f"folder-{number % 20}"
        place.mkdir(exist_ok=True)
        (place / f"file-{number}.txt").write_text(f"line of {number}\n" * 20, encoding="utf-8")
    author = ("-c", "user.name=Bench", "-c", "user.email=bench@localhost")
    for arguments in (
        ("init", "--quiet", "--initial-branch=main"),
        ("add", "--all"),
        (*author, "commit", "--quiet", "-m", "Begin"),
    ):
        subprocess.run(["git", *arguments], cwd=path, check=True, capture_output=True)
    return path


def installation(root: Path) -> tuple[Settings, dict[str, str]]:
    """Settings of a home below `root`, and the environment that its agents inherit."""
    home = root / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "KANDEV_HOME": str(home),
        "KANDEV_PORT": "0",
    }
    return read_settings(environment), environment


@asynccontextmanager
async def running(root: Path) -> AsyncIterator[Client]:
    settings, environment = installation(root)
    async with (
        started(settings, port=0, owned=True, environment=environment) as server,
        connect(server.url, server.token) as client,
    ):
        yield client


@dataclass(slots=True)
class Talk:
    """A session of the scripted agent, which runs what it is told."""

    client: Client
    session: str
    seen: int = 0

    async def run(self, command: str) -> str:
        """What the command printed, in the agent's environment and below its process."""
        prompt = {"text": f"e2e:\nrun({json.dumps(command)})"}
        await self.client.post(f"/api/v1/sessions/{self.session}/prompt", prompt)
        printed = ""
        async with asyncio.timeout(TURN_SECONDS):
            async for event in self.client.events(self.session, self.seen):
                self.seen = event["sequence"]
                body = event["body"]
                if event["kind"] == "tool_update" and body.get("content"):
                    printed = body["content"][0]["content"]["text"]
                if event["kind"] == "complete":
                    break
        return printed


@asynccontextmanager
async def managed_session(root: Path) -> AsyncIterator[tuple[Forge, Talk]]:
    """A session under managed access to a repository of a forge on loopback."""
    with Forge(root / "forge", TOKEN) as forge:
        forge.create(APP, {"README.md": "# App\n"})
        async with running(root) as client:
            workspace = (await client.post("/api/v1/workspaces", {"name": "bench"}))["id"]
            connection: Json = {
                "host": forge.host,
                "token": TOKEN,
                "probe_url": forge.url(APP),
                "certificate_authority": forge.authority,
            }
            await client.put(f"/api/v1/workspaces/{workspace}/connections", connection)
            path = f"/api/v1/workspaces/{workspace}/repositories"
            repository = await client.post(path, {"clone_url": forge.url(APP)})
            session = await launch(client, await task(client, workspace, repository["id"]), "")
            yield forge, Talk(client, session)
            await client.post(f"/api/v1/sessions/{session}/stop")
            shutil.rmtree(root / "home" / "tasks", ignore_errors=True)


async def task(client: Client, workspace: str, repository: str) -> str:
    """A task that can be launched."""
    created = await client.post(
        "/api/v1/tasks",
        {
            "workspace_id": workspace,
            "prompt": "Be measured.",
            "repositories": [{"repository_id": repository}],
        },
    )
    return str(created["id"])


async def launch(client: Client, of_task: str, prompt: str) -> str:
    """A session of the scripted agent on it, which has begun its first turn if it has a prompt."""
    body = {"agent": "demo", "prompt": prompt}
    return str((await client.post(f"/api/v1/tasks/{of_task}/sessions", body))["id"])
