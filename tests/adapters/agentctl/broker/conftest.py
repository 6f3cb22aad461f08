"""Managed instances with real sockets, tools and git; only the control plane is a stand-in."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adapters.agentctl.server.descent import Families
from adapters.agentctl.server.git_socket import Surroundings
from adapters.agentctl.server.managed_sockets import GitSockets, OpenGitSocket
from adapters.agentctl.server.tools.directory import ManagedTools
from adapters.agentctl.wire import CredentialAnswer, Lease
from adapters.git.process import LocalGit
from adapters.process.spawn import LocalProcesses
from domain import git_config, managed_git
from domain.broker_bounds import BrokerBounds
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId
from domain.managed_git import ManagedHost
from tests.fakes.clock import ManualClock
from tests.fakes.desk import FakeDesk
from tests.fakes.redactor import ListingRedactor
from tests.git_oracle import isolated

HOST = "forge.example"
WIDGETS = Lease("r1", HOST, "/acme/widgets", "kdl_widgets", "kdc_widgets")
GADGETS = Lease("r2", HOST, "/acme/gadgets", "kdl_gadgets", "kdc_gadgets")
GIVEN = CredentialAnswer("x-access-token", "s3cret", None)
FILLED = (
    "protocol=https\nhost=forge.example\npath=acme/widgets\n"
    "username=x-access-token\npassword=s3cret\n"
)


@dataclass(frozen=True)
class Ended:
    status: int
    stdout: str
    stderr: str


async def run(
    command: list[str],
    environment: Mapping[str, str],
    stdin: str = "",
    directory: Path | None = None,
) -> Ended:
    """Run a program to its end, within a bound."""
    child = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        cwd=directory,
    )
    try:
        async with asyncio.timeout(30):
            out, err = await child.communicate(os.fsencode(stdin))
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    assert child.returncode is not None
    return Ended(child.returncode, os.fsdecode(out), os.fsdecode(err))


@dataclass
class Desk:
    """An agentctl's broker side, and what was asked through it."""

    home: Path
    sockets: GitSockets
    desk: FakeDesk
    redactor: ListingRedactor
    clock: ManualClock
    opened: list[OpenGitSocket] = field(default_factory=list)

    async def instance(self, *leases: Lease, execution: str = "e1") -> "Managed":
        handle = Handle(ExecutionId(execution), TaskId("t1"), SessionId("s1"))
        opened = await self.sockets.open(handle, leases or (WIDGETS,))
        self.opened.append(opened)
        return Managed(self.home, opened, tuple({each.host for each in leases or (WIDGETS,)}))


@dataclass(frozen=True)
class Managed:
    """One instance, and the environment that its agent would have."""

    home: Path
    socket: OpenGitSocket
    hosts: tuple[str, ...]

    @property
    def tools(self) -> Path:
        return Path(self.socket.opened.tools)

    def environment(self, **more: str) -> dict[str, str]:
        plain = isolated(self.home)
        entries = managed_git.entries(
            [ManagedHost(host) for host in self.hosts], self.socket.opened.helper
        )
        return {
            **plain,
            **git_config.serialize(entries),
            **managed_git.variables(),
            **self.socket.opened.variables,
            "PATH": f"{self.tools}:{plain['PATH']}",
            **more,
        }

    async def fill(self, url: str = f"https://{HOST}/acme/widgets", **more: str) -> Ended:
        return await self.git("fill", f"url={url}\n\n", **more)

    async def git(self, action: str, stdin: str, **more: str) -> Ended:
        git = shutil.which("git")
        assert git is not None
        return await run([git, "credential", action], self.environment(**more), stdin, self.home)


@pytest.fixture
def home() -> Iterator[Path]:
    """A directory whose name has blanks and quotes, short enough for sockets."""
    base = Path(tempfile.mkdtemp(prefix="kd"))
    try:
        place = base / "it's a home"
        place.mkdir(mode=0o700)
        yield place
    finally:
        shutil.rmtree(base)


Open = Callable[..., AbstractAsyncContextManager[Desk]]


@pytest.fixture
def open_desk(home: Path) -> Open:
    """Opens a broker side, with other bounds where a test says so."""

    @asynccontextmanager
    async def opened(bounds: BrokerBounds | None = None) -> AsyncIterator[Desk]:
        runtime = home / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        redactor, clock, desk = ListingRedactor(), ManualClock(), FakeDesk()
        git = LocalGit(LocalProcesses(None), redactor)
        tools = ManagedTools(home / "tools", git, os.environ["PATH"])
        around = Surroundings(desk, Families(), redactor, clock.monotonic, bounds or BrokerBounds())
        desk.given[HOST + "/acme/widgets"] = GIVEN
        async with GitSockets(runtime, tools, around) as sockets:
            made = Desk(home, sockets, desk, redactor, clock)
            try:
                yield made
            finally:
                for each in made.opened:
                    await each.close()

    return opened


@pytest.fixture
async def desk(open_desk: Open) -> AsyncIterator[Desk]:
    async with open_desk() as opened:
        yield opened
