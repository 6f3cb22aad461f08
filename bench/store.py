"""Reading from the store, beside the driver alone and beside a session of the ORM.

And listing tasks over HTTP beside the least that can, in processor time of the server.
"""

import asyncio
import os
import sqlite3
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Final

import httpx2
from sqlmodel import Session as OrmSession
from sqlmodel import create_engine

from adapters.home.lock import holder
from adapters.sqlite.statement import compiled
from adapters.sqlite.store import open_store
from adapters.sqlite.tables import TaskRow
from adapters.sqlite.tasks import ONE
from adapters.system.clock import SystemClock
from bench.harness import Benchmark, Measure, Pair
from bench.stage import folder, installation
from composition.settings import VERSION
from domain.credential_policy import Mode
from domain.identity import RepositoryId, TaskId, WorkspaceId
from domain.principal import HOME_OWNER
from domain.registered_repository import Repository
from domain.task import Task, TaskRepository, TaskState
from domain.workspace import Workspace

__all__ = ("BENCHMARKS", "fill")

TASKS: Final = 10_000
READS: Final = 2_000
REQUESTS: Final = 200
LISTED: Final = 50
WARM: Final = 50
"""Requests before the first that is measured: a server is slower in the beginning."""

WORKSPACE: Final = WorkspaceId("ws_bench")


async def fill(database: Path, tasks: int) -> None:
    """A workspace with so many tasks, each on its repository."""
    clock = SystemClock()
    now = clock.now()
    repository = RepositoryId("repo_bench")
    async with (
        open_store(database, backups=database.parent, version=VERSION, clock=clock) as store,
        store.write() as unit,
    ):
        await unit.put_workspace(Workspace(WORKSPACE, HOME_OWNER, "Bench", Mode.EXECUTOR, now))
        await unit.put_repository(
            Repository(repository, WORKSPACE, "app", None, "/nowhere", None, "main", now)
        )
        works_in = (TaskRepository(repository, "main"),)
        task = Task(TaskId(""), WORKSPACE, "Title", "A prompt.", TaskState.OPEN, works_in, now)
        for number in range(tasks):
            await unit.put_task(replace(task, id=TaskId(f"task_{number:08}")))


def keys() -> list[TaskId]:
    """Ids all over the table, the same ones in every round."""
    return [TaskId(f"task_{number * 7919 % TASKS:08}") for number in range(READS)]


@asynccontextmanager
async def _reading(beside: Callable[[Path], Measure]) -> AsyncIterator[Pair]:
    with folder() as root:
        database = root / "kandev.db"
        await fill(database, TASKS)
        clock = SystemClock()
        async with (
            open_store(database, backups=root, version=VERSION, clock=clock) as store,
            store.read() as state,
        ):

            async def product() -> float:
                begun = process_time()
                for key in keys():
                    await state.task(key)
                return (process_time() - begun) / READS

            yield Pair(product, beside(database))


def _driver(database: Path) -> Measure:
    statement = compiled(ONE).sql

    def measure() -> float:
        with closing(sqlite3.connect(database)) as driver:
            begun = process_time()
            for key in keys():
                driver.execute(statement, (key,)).fetchall()
            return (process_time() - begun) / READS

    return measure


def _orm(database: Path) -> Measure:
    engine = create_engine(f"sqlite:///{database}")

    def measure() -> float:
        begun = process_time()
        for key in keys():
            with OrmSession(engine) as session:
                session.get(TaskRow, key)
        return (process_time() - begun) / READS

    return measure


@asynccontextmanager
async def _listing() -> AsyncIterator[Pair]:
    with folder() as root:
        settings, environment = installation(root)
        database = settings.home / "kandev.db"
        await fill(database, TASKS)
        serve = ("-I", "-m", "composition.cli", "serve", "--port", "0")

        async def announced(_: asyncio.StreamReader) -> str:
            while not ((held := holder(settings.home / "server.lock")) and held.address):  # noqa: ASYNC110 -- as a client would
                await asyncio.sleep(0.01)
            return held.address

        async def printed(output: asyncio.StreamReader) -> str:
            return f"http://127.0.0.1:{int(await output.readline())}"

        bare = ("-m", "bench.bare_list", str(database))
        async with (
            _asked(serve, environment, announced, settings.home / "api-token") as product,
            _asked(bare, dict(os.environ), printed, None) as plain,
        ):
            yield Pair(product, plain)


@asynccontextmanager
async def _asked(
    arguments: tuple[str, ...],
    environment: dict[str, str],
    address: Callable[[asyncio.StreamReader], Awaitable[str]],
    token: Path | None,
) -> AsyncIterator[Measure]:
    """A server in a process of its own; the measure is its processor time for one list."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert child.stdout is not None
    try:
        async with asyncio.timeout(60):
            url = await address(child.stdout)
        shown = (await asyncio.to_thread(token.read_text)).strip() if token else "none"
        headers = {"authorization": f"Bearer {shown}"}
        async with httpx2.AsyncClient(base_url=url, headers=headers, trust_env=False) as http:
            path = f"/api/v1/tasks?workspace_id={WORKSPACE}&limit={LISTED}"

            async def measure() -> float:
                before = _processor_seconds(child.pid)
                for _ in range(REQUESTS):
                    assert len((await http.get(path)).content) > LISTED
                return (_processor_seconds(child.pid) - before) / REQUESTS

            for _ in range(WARM):
                assert len((await http.get(path)).json()) == LISTED
            yield measure
    finally:
        child.terminate()
        await child.wait()


def _processor_seconds(pid: int) -> float:
    """Of all threads of a process, in the kernel and outside (proc(5), `schedstat`)."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    spent = [int((each / "schedstat").read_text(encoding="ascii").split()[0]) for each in threads]
    return sum(spent) / 1e9


BENCHMARKS: Final = (
    Benchmark("store.point_read", 2.0, lambda: _reading(_driver)),
    Benchmark("store.orm", 1 / 10, lambda: _reading(_orm), rounds=7),
    Benchmark("http.list", 1.35, _listing, rounds=15),
)
