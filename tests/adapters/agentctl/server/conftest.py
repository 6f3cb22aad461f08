"""Instances of real agents under a real home, with bounds short enough for a test."""

import asyncio
import json
import os
import secrets
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapters.agentctl import wire
from adapters.agentctl.server.acp.permissions import Permissions
from adapters.agentctl.server.acp.transport import AgentTransport
from adapters.agentctl.server.bundle_shelf import BundleShelf, Shelving
from adapters.agentctl.server.checkout_git import CheckoutGit
from adapters.agentctl.server.cleanup import Cleanups
from adapters.agentctl.server.conversations import Conversation
from adapters.agentctl.server.credential_doctor import CredentialDoctor
from adapters.agentctl.server.discarding import Discarding
from adapters.agentctl.server.equipment import Outfitter
from adapters.agentctl.server.git_explanation import GitExplainer
from adapters.agentctl.server.hosted import Hosted
from adapters.agentctl.server.instance import Instance
from adapters.agentctl.server.instances import Instances
from adapters.agentctl.server.launch_check import LaunchCheck
from adapters.agentctl.server.parts import Parts
from adapters.agentctl.server.removal import Removal
from adapters.agentctl.server.scripts import Scripts
from adapters.agentctl.server.served_files import ServedFiles
from adapters.agentctl.server.served_terminals import ServedTerminals
from adapters.agentctl.server.worktrees import Workspaces
from adapters.git.lock import worktree_lock
from adapters.git.process import LocalGit
from adapters.process.spawn import LocalProcesses
from adapters.process.terminal import LocalTerminals
from adapters.redactor.registry import Registry
from adapters.system.clock import SystemClock
from domain.agent_bounds import AgentBounds
from domain.bundle_delivery import DeliveryBounds
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId
from domain.outcome import Result
from domain.redaction import Redactor
from ports.runtime import RuntimeProblem
from tests.fakes.managed_sockets import FakeSockets, FakeToolSockets

AGENT = Path(__file__).parents[3] / "agents" / "minimal.py"

BOUNDS = AgentBounds(initialize=20.0, session=20.0, cancel=0.3, polite=2.0, terminate=1.0, kill=2.0)


async def converse(
    transport: AgentTransport,
    permissions: Permissions,
    terminals: ServedTerminals,
    files: ServedFiles,
    bounds: AgentBounds,
) -> Conversation:
    from adapters.agentctl.server.acp.conversation import AcpConversation

    return AcpConversation(transport, permissions, terminals, files, bounds)


@dataclass
class House:
    """An agentctl's inside. Every agent that is created in it is gone when the test ends.

    Each has an execution of its own: what carries its name is taken for its leftovers.
    """

    instances: Instances
    home: Path
    sockets: FakeSockets
    redactor: Redactor
    removal: Removal
    bundles: BundleShelf
    git: CheckoutGit
    execution: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def workspace(self) -> Path:
        return self.home / "tasks" / "t1"

    def asked(self, *options: str, **members: Any) -> wire.Create:
        """A launch of the minimal agent in a workspace of its own."""
        plain = wire.Create(
            execution=self.execution,
            task="t1",
            session="s1",
            agent="minimal",
            command=[sys.executable, "-I", str(AGENT), *options],
            hard_stop=False,
            executor="worktree",
            workspace=str(self.workspace),
            checkouts=[],
            layers=[],
            managed=None,
            removes=[],
            acp_session=None,
            approve_automatically=False,
        )
        return msgspec.structs.replace(plain, **members)

    async def create(self, *options: str, **members: Any) -> Result[wire.Created, RuntimeProblem]:
        return await self.instances.create(self.asked(*options, **members))

    async def launch(self, *options: str, **members: Any) -> Instance:
        """An instance that was created without a refusal."""
        asked = self.asked(*options, **members)
        (await self.instances.create(asked)).unwrap()
        handle = Handle(ExecutionId(asked.execution), TaskId(asked.task), SessionId(asked.session))
        instance = self.instances.find(handle)
        assert isinstance(instance, Instance)
        return instance


@dataclass(frozen=True)
class Seen:
    """An event as a reader of the log sees it."""

    n: int
    kind: str
    generation: int | None
    body: dict[str, Any]


async def watch(instance: Hosted, until: str | None = None, after: int = 0) -> list[Seen]:
    """The events after `after`, to the first of kind `until` or to the end."""
    seen: list[Seen] = []
    rest = b""
    pieces = instance.log.follow(after)
    async with asyncio.timeout(20):
        async for piece in pieces:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                event = json.loads(line)
                seen.append(Seen(event["n"], event["kind"], event["generation"], event["body"]))
                if event["kind"] == until:
                    await pieces.aclose()
                    return seen
    return seen


async def turn(instance: Hosted, generation: int, text: str) -> list[Seen]:
    """The events of one whole turn."""
    after = instance.log.last
    instance.prompt(generation, text).unwrap()
    return await watch(instance, "complete", after)


def texts(seen: Sequence[Seen]) -> list[str]:
    return [event.body["text"] for event in seen if event.kind == "message_chunk"]


Open = Callable[..., AbstractAsyncContextManager[House]]


@asynccontextmanager
async def house_in(
    tmp_path: Path,
    host: dict[str, str] | None = None,
    delivery: DeliveryBounds | None = None,
    setup_seconds: float = 20.0,
    lock_seconds: float = 20.0,
    **bounds: float,
) -> AsyncIterator[House]:
    sockets, redactor, processes = FakeSockets(tmp_path), Redactor(), LocalProcesses()
    git = LocalGit(LocalProcesses(None), Registry(redactor))
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
    } | (host or {})
    shelving = Shelving(
        tmp_path / "bundles",
        (1, 1),
        lambda *_: False,
        SystemClock().now,
        secrets.token_bytes,
        delivery or DeliveryBounds(),
    )
    bundles = BundleShelf(shelving)
    lock = partial(worktree_lock, seconds=lock_seconds)
    scripts = Scripts(processes, git, redactor, setup_seconds, terminate=1.0)
    parts = Parts(
        processes,
        Outfitter(
            Workspaces(git, lock),
            sockets,
            FakeToolSockets(tmp_path),
            LaunchCheck(git),
            environment,
            Registry(redactor),
        ),
        converse,
        redactor,
        SystemClock(),
        tmp_path / "instances",
        (1, 1),
        "0",
        replace(BOUNDS, **bounds),  # type: ignore[arg-type]  # some bounds are whole numbers
        GitExplainer(git, redactor),
        CredentialDoctor(git),
        git,
        scripts,
        bundles,
        LocalProcesses(None),
        LocalTerminals(),
    )
    async with bundles, Instances(parts) as instances:
        cleanups = Cleanups(
            scripts, sockets, environment, tmp_path / "instances", (1, 1), Registry(redactor)
        )
        removal = Removal(git, environment, SystemClock().now, cleanups, lock)
        checkouts = CheckoutGit(git, redactor, Discarding(git, SystemClock().now))
        yield House(instances, tmp_path, sockets, redactor, removal, bundles, checkouts)


@pytest.fixture
def open_house(tmp_path: Path) -> Open:
    """Opens a house, with other bounds or another host environment where a test says so."""
    return partial(house_in, tmp_path)


@pytest.fixture
async def house(open_house: Open) -> AsyncIterator[House]:
    async with open_house() as opened:
        yield opened


def git(directory: Path, *arguments: str) -> str:
    """What git says, without configuration of this machine."""
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments],
        cwd=directory,
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(directory),
            "GIT_CONFIG_NOSYSTEM": "1",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A repository with one commit on `main`, which is checked out."""
    repository = tmp_path / "source"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    (repository / "file").write_text("text\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "first")
    return repository


def furnished(repository: Path) -> Path:
    """The same with a second file, and one that git is to ignore."""
    (repository / "gone").write_text("text\n")
    (repository / ".gitignore").write_text("ignored\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "--amend", "-m", "first")
    return repository
