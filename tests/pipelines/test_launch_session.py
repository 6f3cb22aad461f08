"""Launching: what an agent is given, and what is refused before anything exists."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.agent import UnknownAgent
from domain.credential_policy import Mode
from domain.event import EventKind, ExecutionEvent
from domain.execution import ExecutionState, ExecutorType
from domain.identity import ExecutionId, SessionId, TaskId
from domain.outcome import Failure, failed
from domain.principal import Execution
from domain.session import SessionState
from domain.task import TaskRepository
from domain.variables import InvalidVariable
from pipelines.create_task import CreateTaskRequest
from pipelines.launch_session import AgentNotInstalled, LaunchRequest, TaskArchived, TaskBusy
from pipelines.start_problem import DirtyCheckout
from ports.git import LocalRepository
from ports.runtime import Checkout, Scripts
from tests.pipelines.plane import HOST, OWNER, Plane, handle, plane_over, url_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


async def test_an_agent_starts_in_a_worktree_of_the_clone_with_a_lease(plane: Plane) -> None:
    task = await plane.ready_task()

    session = (await plane.launched(task.id)).unwrap()

    [spec] = plane.runtime.launches
    repository = task.repositories[0].repository
    assert spec.handle == handle(session)
    assert (spec.program, spec.agent.name, spec.executor) == (
        "/usr/bin/demo-agent",
        "demo",
        ExecutorType.WORKTREE,
    )
    assert spec.checkouts == (
        Checkout(
            repository,
            f"/repos/{repository}",
            "",
            "feature/try-it-000005",
            "origin/main",
            scripts=Scripts("app", "main"),
            fallbacks=("origin/HEAD",),
        ),
    )
    assert spec.workspace.endswith(f"/tasks/{task.id}/app")
    assert spec.acp_session is None
    assert spec.managed is not None
    assert [each.repository for each in spec.managed.leases] == [repository]
    assert [each.host for each in spec.managed.hosts] == [HOST]
    assert plane.redactor.registered >= {
        spec.managed.leases[0].token.reveal(),
        spec.managed.leases[0].capability.reveal(),
    }


async def test_a_launched_session_is_stored_idle_and_its_execution_followed(plane: Plane) -> None:
    session = await plane.running()

    execution = await plane.execution(session.execution)
    assert await plane.session(session.id) == session
    assert (session.state, session.acp_session) == (SessionState.IDLE, "conversation-1")
    assert (execution.state, execution.acknowledged) == (ExecutionState.LIVE, 0)
    assert plane.followers.followed == [(handle(session), 0)]


async def test_layers_come_lowest_first_and_the_request_is_the_highest(plane: Plane) -> None:
    here = plane.agents.installed[0]
    profiled = replace(here.agent, profile={"TUNED": "yes"})
    plane.agents.installed[0] = replace(here, agent=profiled)
    task = await plane.ready_task()

    (await plane.launched(task.id, environment={"ASKED": "1"})).unwrap()

    [spec] = plane.runtime.launches
    assert [(each.name, dict(each.variables)) for each in spec.layers] == [
        ("agent defaults", {"DEMO": "1"}),
        ("agent profile", {"TUNED": "yes"}),
        ("request", {"ASKED": "1"}),
    ]


@requirement("session:start:refused-early")
@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({"agent": "nobody"}, UnknownAgent("nobody", ("demo", "absent"))),
        ({"agent": "absent"}, AgentNotInstalled("absent", "absent-acp", "get it somewhere")),
        ({"task": TaskId("task_none")}, NotFound("task")),
        ({"environment": {"A=B": "1"}}, InvalidVariable("A=B")),
        ({"environment": {"": "1"}}, InvalidVariable("")),
        ({"environment": {"A": "a\0b"}}, InvalidVariable("A")),
    ],
)
async def test_a_launch_that_cannot_be_meant_leaves_no_session(
    plane: Plane, request_: dict[str, object], problem: object
) -> None:
    task = await plane.ready_task()
    asked = LaunchRequest(task.id, "demo")

    outcome = await plane.api.launch(OWNER, replace(asked, **request_))  # type: ignore[arg-type]  # fields by name

    assert outcome == Failure(problem)
    assert await plane.sessions(task.id) == []
    assert plane.runtime.launches == []


@requirement("session:start:one")
async def test_a_task_has_one_session_at_work(plane: Plane) -> None:
    task = await plane.ready_task()
    first = (await plane.launched(task.id)).unwrap()

    assert await plane.launched(task.id) == Failure(TaskBusy(first.id))

    await plane.stopped(first)
    second = (await plane.launched(task.id)).unwrap()
    assert await plane.resumed(first.id) == Failure(TaskBusy(second.id))


@requirement("session:start:one")
@pytest.mark.parametrize("executor", ExecutorType)
async def test_of_two_starts_at_the_same_moment_one_has_the_worktree(
    plane: Plane, executor: ExecutorType
) -> None:
    task = await plane.ready_task()
    stopped = await plane.stopped((await plane.launched(task.id)).unwrap())
    before = len(plane.runtime.launches)

    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        starts = [
            group.create_task(plane.launched(task.id, executor=executor)),
            group.create_task(plane.resumed(stopped.id)),
            group.create_task(plane.launched(task.id, executor=executor, allow_dirty=True)),
        ]

    outcomes = [each.result() for each in starts]
    [started] = [each.unwrap() for each in outcomes if not failed(each)]
    refused = [each.failure() for each in outcomes if failed(each)]
    assert refused == [TaskBusy(started.id)] * 2
    assert len(plane.runtime.launches) == before + 1


@requirement("session:start:one")
async def test_nothing_starts_on_an_archived_task(plane: Plane) -> None:
    task = await plane.ready_task()
    session = await plane.stopped((await plane.launched(task.id)).unwrap())
    (await plane.api.archive_task(OWNER, task.id)).unwrap()

    assert await plane.launched(task.id) == Failure(TaskArchived())
    assert await plane.resumed(session.id) == Failure(TaskArchived())


@requirement("session:person")
async def test_an_agent_cannot_launch(plane: Plane) -> None:
    task = await plane.ready_task()
    agent = Execution(ExecutionId("exec"), task.id, SessionId("ses"))

    outcome = await plane.api.launch(agent, LaunchRequest(task.id, "demo"))

    assert outcome == Failure(NotFound("task"))


@requirement("session:start:folders")
async def test_repositories_of_one_name_have_folders_of_their_own(plane: Plane) -> None:
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    first = await plane.repository(workspace)
    plane.git.remotes["https://forge.example/other/app.git"] = "trunk"
    again = await plane.api.register_repository.by_url(
        OWNER, workspace, "https://forge.example/other/app.git"
    )
    task = await plane.task(workspace, first.id, again.unwrap().id)

    (await plane.launched(task.id)).unwrap()

    [spec] = plane.runtime.launches
    assert [(each.folder, each.base) for each in spec.checkouts] == [
        ("app", "origin/main"),
        ("app-2", "origin/trunk"),
    ]
    assert spec.workspace.endswith(f"/tasks/{task.id}")


async def test_a_task_may_start_from_a_branch_of_its_own(plane: Plane) -> None:
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    repository = await plane.repository(workspace)
    wanted = [TaskRepository(repository.id, "release/1.x")]
    made = await plane.api.create_task(OWNER, CreateTaskRequest(workspace, None, "Go.", wanted))

    (await plane.launched(made.unwrap().task.id)).unwrap()

    assert plane.runtime.launches[0].checkouts[0].base == "origin/release/1.x"


async def test_a_local_repository_is_worked_on_where_it_lies(plane: Plane) -> None:
    task = await local_task(plane)

    session = (await plane.launched(task, executor=ExecutorType.LOCAL)).unwrap()
    await plane.stopped(session)
    (await plane.resumed(session.id)).unwrap()

    assert [each.executor for each in plane.runtime.launches] == [ExecutorType.LOCAL] * 2
    assert [each.checkouts[0].source for each in plane.runtime.launches] == ["/home/me/shop"] * 2
    assert plane.runtime.launches[0].checkouts[0].base == "main"


async def test_a_dirty_checkout_stops_a_launch_unless_it_is_meant_and_never_a_resume(
    plane: Plane,
) -> None:
    task = await local_task(plane)
    plane.git.dirty.add("/home/me/shop")

    refused = await plane.launched(task)
    meant = (await plane.launched(task, allow_dirty=True)).unwrap()
    await plane.stopped(meant)

    assert refused == Failure(DirtyCheckout("/home/me/shop"))
    assert not failed(await plane.resumed(meant.id))


async def test_a_launch_fetches_with_the_credential_and_a_resume_fetches_nothing(
    plane: Plane,
) -> None:
    session = await plane.running()
    asked, mirrored = len(plane.git.asked), len(plane.git.mirrored)
    await plane.stopped(session)

    (await plane.resumed(session.id)).unwrap()

    fetched = plane.git.asked[-1]
    assert (fetched.url, fetched.username) == (url_of("app"), "robot")
    assert fetched.password is not None
    assert (len(plane.git.asked), len(plane.git.mirrored)) == (asked, mirrored)


@requirement("session:start:now")
async def test_a_policy_that_changes_during_the_fetch_is_the_one_that_counts(plane: Plane) -> None:
    task = await plane.ready_task("managed")
    workspace = task.workspace

    async def change() -> None:
        (await plane.api.workspace_settings.update(OWNER, workspace, "executor")).unwrap()

    plane.git.meanwhile = change
    session = (await plane.launched(task.id)).unwrap()

    told = session.metadata["git_credential_snapshot"]
    assert isinstance(told, dict)
    assert (told["policy"], told["source"]) == (Mode.EXECUTOR, "executor")
    assert plane.runtime.launches[0].managed is None
    assert await plane.leases(session.execution) == []


async def local_task(plane: Plane) -> TaskId:
    workspace = await plane.workspace("executor")
    plane.git.local["/home/me/shop"] = LocalRepository("/home/me/shop", None, "main")
    made = await plane.api.register_repository.by_path(OWNER, workspace, "/home/me/shop")
    return (await plane.task(workspace, made.unwrap().id)).id


@requirement("script:events:meanwhile")
async def test_what_a_launch_tells_meanwhile_is_handed_on_for_its_execution(plane: Plane) -> None:
    at = plane.clock.now()
    said = ExecutionEvent(1, at, EventKind.SCRIPT, None, {"status": "running"})
    plane.runtime.overture = (said,)
    task = await plane.ready_task()

    session = (await plane.launched(task.id)).unwrap()

    assert plane.followers.told == [(handle(session), (said,))]
