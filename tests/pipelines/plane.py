"""The control plane of a test: its own container and store, with other people's servers faked."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dependency_injector import providers

from adapters.agentctl.keeper import Launching
from adapters.home.layout import Home
from adapters.http.api import Api
from adapters.logs.logs import Logs, Thresholds
from adapters.redactor.registry import Registry
from adapters.secrets.keyring import KEY_BYTES, Keyring
from adapters.sqlite.store import open_store
from composition.container import ControlPlane
from composition.settings import Settings
from domain.connection import Connection
from domain.credential_policy import Mode
from domain.execution import Execution, Handle
from domain.identity import (
    ConnectionId,
    ExecutionId,
    RepositoryId,
    SessionId,
    TaskId,
    TokenId,
    UserId,
    WorkspaceId,
)
from domain.lease import LeaseRecord
from domain.outcome import Result
from domain.principal import Principal, Token
from domain.redaction import Redactor
from domain.registered_repository import Repository
from domain.secret import Secret
from domain.session import Session
from domain.task import Task, TaskRepository
from domain.turn import Turn
from pipelines.connect_workspace import ConnectProblem, ConnectRequest
from pipelines.create_task import CreateTaskRequest
from pipelines.launch_session import LaunchProblem, LaunchRequest
from pipelines.resume_session import ResumeProblem, ResumeRequest
from ports.clock import Clock
from ports.store import Store
from tests.fakes.agents import FakeAgents
from tests.fakes.beside import FakeBeside
from tests.fakes.clock import ManualClock
from tests.fakes.closed_git import FakeClosedGit
from tests.fakes.followers import ListingFollowers
from tests.fakes.ids import CountingIds
from tests.fakes.instance_files import FakeInstanceFiles
from tests.fakes.instance_git import FakeInstanceGit
from tests.fakes.redactor import ListingRedactor
from tests.fakes.runtime import FakeRuntime

__all__ = ("HOST", "OWNER", "SECRET", "Plane", "plane_over", "url_of")

OWNER: Principal = Token(TokenId("home"), UserId("owner"), None)
HOST = "forge.example"
SECRET = "secret-of-the-forge-0123456789"  # what the forge of these tests wants


def url_of(name: str, host: str = HOST) -> str:
    return f"https://{host}/acme/{name}.git"


@dataclass
class Plane:
    """What a test drives: use cases in `api`, and the world that they meet."""

    container: ControlPlane
    store: Store
    clock: ManualClock
    ids: CountingIds
    git: FakeClosedGit
    runtime: FakeRuntime
    agents: FakeAgents
    followers: ListingFollowers
    redactor: ListingRedactor
    instance_git: FakeInstanceGit
    instance_files: FakeInstanceFiles
    beside: FakeBeside

    @property
    def api(self) -> Api:
        api: Api = self.container.api()
        return api

    async def workspace(self, mode: str | None = None) -> WorkspaceId:
        made = await self.api.register_workspace(OWNER, "Shop", mode)
        return made.unwrap().id

    async def connected(
        self,
        workspace: WorkspaceId,
        secret: str = SECRET,
        host: str = HOST,
        login: str | None = "robot",
    ) -> Result[Connection, ConnectProblem]:
        probe = url_of("app", host)
        self.git.remotes.setdefault(probe, "main")
        return await self.api.connect(
            OWNER, ConnectRequest(workspace, host, None, login, Secret(secret), None, probe)
        )

    async def repository(
        self, workspace: WorkspaceId, name: str = "app", host: str = HOST
    ) -> Repository:
        url = url_of(name, host)
        self.git.remotes.setdefault(url, "main")
        return (await self.api.register_repository.by_url(OWNER, workspace, url)).unwrap()

    async def task(self, workspace: WorkspaceId, *repositories: RepositoryId) -> Task:
        wanted = [TaskRepository(each) for each in repositories]
        request = CreateTaskRequest(workspace, "Try it", "Work.", wanted)
        return (await self.api.create_task(OWNER, request)).unwrap().task

    async def ready_task(self, mode: str | None = None) -> Task:
        """A task on one repository of a connected workspace."""
        workspace = await self.workspace(mode)
        (await self.connected(workspace)).unwrap()
        return await self.task(workspace, (await self.repository(workspace)).id)

    async def launched(self, task: TaskId, **options: Any) -> Result[Session, LaunchProblem]:
        return await self.api.launch(OWNER, LaunchRequest(task, "demo", **options))

    async def resumed(self, session: SessionId, **options: Any) -> Result[Session, ResumeProblem]:
        return await self.api.resume(OWNER, ResumeRequest(session, **options))

    async def running(self, mode: str | None = None) -> Session:
        """A session whose agent waits for a prompt."""
        return (await self.launched((await self.ready_task(mode)).id)).unwrap()

    async def stopped(self, session: Session) -> Session:
        """The session after its agent was stopped, and all of it was stored."""
        (await self.api.stop(OWNER, session.id)).unwrap()
        await self.container.follow().conclude(handle(session))
        return await self.session(session.id)

    async def session(self, session: SessionId) -> Session:
        async with self.store.read() as state:
            found = await state.session(session)
        assert found is not None
        return found

    async def sessions(self, task: TaskId) -> Sequence[Session]:
        async with self.store.read() as state:
            return await state.sessions(task)

    async def execution(self, execution: ExecutionId | None) -> Execution:
        assert execution is not None
        async with self.store.read() as state:
            found = await state.execution(execution)
        assert found is not None
        return found

    async def turns(self, session: SessionId) -> Sequence[Turn]:
        async with self.store.read() as state:
            return await state.turns(session)

    async def leases(self, execution: ExecutionId | None) -> Sequence[LeaseRecord]:
        assert execution is not None
        async with self.store.read() as state:
            return await state.leases(execution)

    async def connection(self, connection: ConnectionId) -> Connection | None:
        async with self.store.read() as state:
            return await state.connection(connection)

    async def mode(self, workspace: WorkspaceId) -> Mode:
        async with self.store.read() as state:
            found = await state.workspace(workspace)
        assert found is not None
        return found.mode


def handle(session: Session) -> Handle:
    assert session.execution is not None
    return Handle(session.execution, session.task, session.id)


@asynccontextmanager
async def plane_over(
    folder: Path,
    seed: str = "",
    runtime: FakeRuntime | None = None,
    opening: Callable[[Clock], AbstractAsyncContextManager[Store]] | None = None,
) -> AsyncIterator[Plane]:
    """A plane over the database in `folder`; a second one over the same folder is a restart.

    `opening` opens another store in its place.
    """
    clock, ids = ManualClock(), CountingIds(seed)
    database, backups = folder / "kandev.db", folder / "backups"
    async with (
        opening(clock)
        if opening is not None
        else open_store(database, backups=backups, version="1.0", clock=clock)
    ) as store:
        git, agents, followers = FakeClosedGit(), FakeAgents.demo(), ListingFollowers()
        git.secret = SECRET
        redactor, world = ListingRedactor(), runtime or FakeRuntime()
        instance_git, instance_files = FakeInstanceGit(), FakeInstanceFiles()
        beside = FakeBeside()
        container = ControlPlane(
            settings=Settings(folder, "127.0.0.1", 0, None, "/usr/bin"),
            home=Home(folder),
            store=store,
            keyring=Keyring([CountingIds("key").random(KEY_BYTES)]),
            redactor=redactor,
            sockets=folder,
            environment={},
            named=(),
            logs=Logs(folder / "logs", clock, Registry(Redactor()).mask, Thresholds()),
            launching=Launching((), {}, folder / "agentctl.log", owned=True),
            clock=providers.Object(clock),
            ids=providers.Object(ids),
            git=providers.Object(git),
            agents=providers.Object(agents),
            runtime=providers.Object(world),
            followers=providers.Object(followers),
            instance_git=providers.Object(instance_git),
            instance_files=providers.Object(instance_files),
            beside=providers.Object(beside),
        )
        yield Plane(
            container,
            store,
            clock,
            ids,
            git,
            world,
            agents,
            followers,
            redactor,
            instance_git,
            instance_files,
            beside,
        )
