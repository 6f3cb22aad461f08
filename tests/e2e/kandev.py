"""A home for one test, servers on it, and the words to drive them."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from composition.client import Client, connect
from composition.server import AGENTCTL, started
from composition.settings import read_settings

Json = dict[str, Any]

SECONDS = 40.0
"""Any one step of a test at most."""


def script(*directives: str) -> str:
    return "\n".join(("e2e:", *directives))


def call(name: str, *arguments: object) -> str:
    return f"{name}({', '.join(json.dumps(each) for each in arguments)})"


@dataclass
class Installation:
    """A home, the environment that its server inherits, and how that starts agentctl."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict)
    agentctl: Sequence[str] = AGENTCTL

    def __post_init__(self) -> None:
        self.home.mkdir(mode=0o700, exist_ok=True)
        inherited = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8"}
        self.environment = {**inherited, "KANDEV_HOME": str(self.home), **self.environment}

    def name_agent(self, name: str, *flags: str) -> None:
        """Add the scripted agent under another name, with flags that make it misbehave."""
        words = [sys.executable, "-I", "-m", "adapters.scripted_agent", *flags]
        with (self.home / "agents.toml").open("a", encoding="utf-8") as file:
            file.write(f"[agents.{name}]\ncommand = {json.dumps(words)}\n")

    def kill_agentctl(self) -> list[int]:
        """Kill every agentctl of this home without a word; their pids."""
        mark = f"--home {self.home}".replace(" ", "\0").encode()
        pids = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
        hosts = [pid for pid in pids if mark in arguments_of(pid)]
        for pid in hosts:
            os.kill(pid, signal.SIGKILL)
        return hosts

    @asynccontextmanager
    async def server(self, *, owned: bool = True) -> AsyncIterator["Driver"]:
        settings = read_settings({**self.environment, "KANDEV_PORT": "0"})
        async with (
            started(
                settings,
                port=0,
                owned=owned,
                environment=self.environment,
                agentctl=self.agentctl,
            ) as server,
            connect(server.url, server.token) as client,
        ):
            # Whatever agentctl it has, also one that was found: nothing outlives the test.
            server.end_sessions = owned
            yield Driver(client)

    async def command(
        self, *arguments: str, environment: Mapping[str, str] | None = None, told: str = ""
    ) -> tuple[int, str, str]:
        """Run `kandev ARGUMENTS`, which reads `told`; its exit code, output and errors."""
        process = await asyncio.create_subprocess_exec(
            *kandev(*arguments),
            env={**self.environment, **(environment or {})},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(SECONDS):
            output, errors = await process.communicate(told.encode())
        return process.returncode or 0, output.decode(), errors.decode()


def arguments_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def kandev(*arguments: str) -> Sequence[str]:
    return (sys.executable, "-I", "-m", "composition.cli", *arguments)


@dataclass
class Driver:
    """Talks to a server as a client does."""

    client: Client
    workspace: str = ""

    async def workspace_of(self, name: str = "test", mode: str | None = None) -> str:
        body: Json = {"name": name}
        if mode is not None:
            body["task_git_credentials_mode"] = mode
        self.workspace = (await self.client.post("/api/v1/workspaces", body))["id"]
        return self.workspace

    async def repository(self, source: Json) -> str:
        path = f"/api/v1/workspaces/{self.workspace}/repositories"
        return str((await self.client.post(path, source))["id"])

    async def task(self, repository: str, base: str | None = None, title: str = "Try it") -> str:
        repositories = [{"repository_id": repository, "base_branch": base}]
        body = {
            "workspace_id": self.workspace,
            "title": title,
            "prompt": "Work.",
            "repositories": repositories,
        }
        return str((await self.client.post("/api/v1/tasks", body))["id"])

    async def launch(self, task: str, agent: str = "demo", **options: object) -> Json:
        body = {"agent": agent, "prompt": "", **options}
        async with asyncio.timeout(SECONDS):
            session: Json = await self.client.post(f"/api/v1/tasks/{task}/sessions", body)
        return session

    async def session(self, session: str) -> Json:
        shown: Json = await self.client.get(f"/api/v1/sessions/{session}")
        return shown

    async def prompt(self, session: str, text: str) -> None:
        await self.client.post(f"/api/v1/sessions/{session}/prompt", {"text": text})

    async def turn(self, session: str, text: str, after: int = 0) -> list[Json]:
        """A turn to its end; the events since `after`."""
        await self.prompt(session, text)
        return await self.until(session, "complete", after)

    async def until(self, session: str, kind: str, after: int = 0) -> list[Json]:
        """The events after `after`, up to the first of this kind."""
        events: list[Json] = []
        async with asyncio.timeout(SECONDS):
            async for event in self.client.events(session, after):
                events.append(event)
                if event["kind"] == kind:
                    break
        return events

    async def until_state(self, session: str, state: str) -> Json:
        """Ask until the session is in this state: the state has no event of its own."""
        async with asyncio.timeout(SECONDS):
            while (shown := await self.session(session))["state"] != state:  # noqa: ASYNC110 -- as above
                await asyncio.sleep(0.02)
        return shown

    async def stop(self, session: str) -> Json:
        await self.client.post(f"/api/v1/sessions/{session}/stop")
        return await self.until_state(session, "stopped")
