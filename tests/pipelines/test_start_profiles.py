"""Starts with profiles: their layers, their agent and executor, and what stops them."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.environment import ConflictingVariable
from domain.execution import ExecutorType
from domain.identity import ProfileId
from domain.mcp_server import GivenMcpServer, McpServer, McpTransport
from domain.outcome import Failure
from domain.profile import AgentChoice, WantedProfile
from domain.session import SessionFailure, SessionState
from domain.stored_environment import ChosenEnvironment, SecretMissing
from domain.task import Task
from pipelines.launch_session import LaunchRequest
from pipelines.session_profiles import Named, OtherAgent
from pipelines.start_problem import StartProblem, failure_of
from ports.runtime import LaunchSpec
from tests.pipelines.chosen import agent_profile, chosen, executor_profile, named, repository_has
from tests.pipelines.plane import OWNER, Plane, plane_over
from tests.pipelines.rows import altered
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

VALUE, OTHER = "kept-out-of-sight", "another-that-is-kept"
LAYER_OF = {
    "agent": "agent profile Fast",
    "executor": "executor profile Here",
    "repository": "repository app",
    "request": "request",
}


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


def layers(spec: LaunchSpec) -> list[tuple[str, dict[str, str], frozenset[str]]]:
    return [(each.name, dict(each.variables), each.secrets) for each in spec.layers]


@requirement("profile:start")
async def test_launch_and_resume_give_the_layers_of_profiles_and_repositories_in_order(
    plane: Plane,
) -> None:
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    app, library = [await plane.repository(workspace, name) for name in ("app", "library")]
    await repository_has(plane, app.id, chosen({"R": "app"}))
    await repository_has(plane, library.id, chosen({}, {"S": VALUE}))
    agent = await agent_profile(plane, workspace, chosen({"A": "1"}, {"T": OTHER}))
    executor = await executor_profile(plane, workspace, chosen({"E": "1"}))
    task = await plane.task(workspace, library.id, app.id)

    launched = await plane.launched(
        task.id, environment={"Q": "1"}, profiles=named(agent, executor)
    )
    await plane.stopped(launched.unwrap())
    resumed = await plane.resumed(launched.unwrap().id, environment={"Q": "1"})

    first, again = plane.runtime.launches
    assert layers(first) == [
        ("agent defaults", {"DEMO": "1"}, frozenset()),
        ("agent profile", {}, frozenset()),
        ("agent profile Fast", {"A": "1", "T": OTHER}, frozenset({"T"})),
        ("executor profile Here", {"E": "1"}, frozenset()),
        ("repository library", {"S": VALUE}, frozenset({"S"})),
        ("repository app", {"R": "app"}, frozenset()),
        ("request", {"Q": "1"}, frozenset()),
    ]
    assert layers(again) == layers(first)
    assert plane.redactor.registered >= {VALUE, OTHER}
    assert VALUE not in repr(first)
    told = resumed.unwrap()
    assert (told.agent_profile, told.executor_profile) == (agent.id, executor.id)
    assert await plane.session(told.id) == told


@requirement("profile:start")
async def test_agent_and_executor_come_from_the_profiles_unless_they_are_named(
    plane: Plane,
) -> None:
    task = await plane.ready_task()
    agent = await agent_profile(plane, task.workspace, chosen())
    executor = await executor_profile(plane, task.workspace, chosen(), ExecutorType.LOCAL)
    profiles = named(agent, executor)

    session = (
        await plane.api.launch(OWNER, LaunchRequest(task.id, None, profiles=profiles))
    ).unwrap()
    await plane.stopped(session)
    asked = LaunchRequest(task.id, "demo", ExecutorType.WORKTREE, profiles=profiles)
    (await plane.api.launch(OWNER, asked)).unwrap()

    assert session.agent == "demo"
    assert [each.executor for each in plane.runtime.launches] == ["local", "worktree"]


@requirement("profile:start")
@requirement("profile:mcp")
async def test_an_agent_is_given_what_its_profile_says_of_how_it_works(plane: Plane) -> None:
    task = await plane.ready_task()
    server = McpServer("files", McpTransport.STDIO, "mcp-files", (), ("TOKEN", "PLAIN"))
    choice = AgentChoice("demo", "large", "Be brief.", (server,))
    environment = chosen({"PLAIN": "1"}, {"TOKEN": VALUE})
    agent = await agent_profile(plane, task.workspace, environment, choice)

    session = (await plane.launched(task.id, profiles=named(agent))).unwrap()
    await plane.stopped(session)
    (await plane.resumed(session.id)).unwrap()

    values = {"PLAIN": "1", "TOKEN": VALUE}
    wanted = GivenMcpServer("files", McpTransport.STDIO, "mcp-files", (), values, "", {})
    for spec in plane.runtime.launches:
        assert (spec.model, spec.system_prompt) == ("large", "Be brief.")
        assert spec.mcp_servers == (wanted,)


@requirement("profile:start")
async def test_a_resume_sees_what_was_changed(plane: Plane) -> None:
    task = await plane.ready_task()
    agent = await agent_profile(plane, task.workspace, chosen({"A": "old"}))
    session = (await plane.launched(task.id, profiles=named(agent))).unwrap()
    await plane.stopped(session)
    wanted = WantedProfile("Faster", AgentChoice("demo", "larger"), chosen({"A": "new"}))
    (await plane.api.profiles.update(OWNER, agent.id, 0, wanted)).unwrap()

    (await plane.resumed(session.id)).unwrap()

    assert plane.runtime.launches[1].model == "larger"
    assert layers(plane.runtime.launches[1])[2] == (
        "agent profile Faster",
        {"A": "new"},
        frozenset(),
    )


@requirement("profile:start:missing")
@pytest.mark.parametrize("where", ["agent", "executor", "repository"])
@pytest.mark.parametrize("how", ["never given", "altered"])
async def test_a_missing_secret_stops_the_start_and_is_named(
    plane: Plane, tmp_path: Path, where: str, how: str
) -> None:
    task = await plane.ready_task()
    environment = chosen({}, {"GIVEN": OTHER, "TOKEN": None if how == "never given" else VALUE})
    profiles, owner = await holding(plane, task, where, environment)
    if how == "altered":
        altered(tmp_path, owner)
    layer = LAYER_OF[where]
    asked, mirrored = len(plane.git.asked), len(plane.git.mirrored)

    launched = await plane.launched(task.id, profiles=profiles)

    assert launched == Failure(SecretMissing(layer, "TOKEN"))
    [session] = await plane.sessions(task.id)
    assert (session.state, session.execution) == (SessionState.FAILED, None)
    assert session.failure is not None
    assert (session.failure.code, session.failure.detail) == ("secret_missing", f"{layer}: TOKEN")
    assert await plane.resumed(session.id) == launched
    assert plane.runtime.launches == []
    assert (len(plane.git.asked), len(plane.git.mirrored)) == (asked, mirrored)


@requirement("profile:start:conflict")
@pytest.mark.parametrize(
    ("secret", "plain"),
    [
        ("agent", "executor"),
        ("executor", "agent"),
        ("agent", "repository"),
        ("repository", "executor"),
        ("agent", "request"),
        ("executor", "request"),
        ("repository", "request"),
    ],
)
async def test_layers_that_differ_about_a_secret_stop_the_start_and_are_both_named(
    plane: Plane, secret: str, plain: str
) -> None:
    task = await plane.ready_task()
    profiles, _ = await holding(plane, task, secret, chosen({}, {"TOKEN": VALUE}))
    request: Mapping[str, str] = {"TOKEN": OTHER} if plain == "request" else {}
    if not request:
        more, _ = await holding(plane, task, plain, chosen({"TOKEN": OTHER}))
        profiles = Named(profiles.agent or more.agent, profiles.executor or more.executor)

    launched = await plane.launched(task.id, environment=request, profiles=profiles)

    lower, higher = sorted((LAYER_OF[secret], LAYER_OF[plain]), key=list(LAYER_OF.values()).index)
    assert launched == Failure(ConflictingVariable("TOKEN", lower, higher))
    [session] = await plane.sessions(task.id)
    assert session.failure == SessionFailure(
        "conflicting_variable",
        f"{lower} and {higher} differ about TOKEN, and one of them means a secret",
    )
    assert await plane.resumed(session.id, environment=request) == launched
    assert plane.runtime.launches == []


@requirement("profile:start:conflict")
async def test_equal_secrets_plain_values_and_defaults_stop_nothing(plane: Plane) -> None:
    here = plane.agents.installed[0]
    defaults = replace(here.agent, environment={"TOKEN": "default"})
    plane.agents.installed[0] = replace(here, agent=defaults)
    task = await plane.ready_task()
    agent = await agent_profile(plane, task.workspace, chosen({"P": "1"}, {"TOKEN": VALUE}))
    executor = await executor_profile(plane, task.workspace, chosen({"P": "2", "TOKEN": VALUE}))

    launched = await plane.launched(
        task.id, environment={"P": "3"}, profiles=named(agent, executor)
    )

    assert launched.unwrap().state is SessionState.IDLE


@requirement("profile:start:deleted")
async def test_a_deleted_profile_stops_a_resume_which_can_name_another(plane: Plane) -> None:
    task = await plane.ready_task()
    agent = await agent_profile(plane, task.workspace, chosen({"A": "1"}))
    session = (await plane.launched(task.id, profiles=named(agent))).unwrap()
    before = await plane.stopped(session)
    (await plane.api.profiles.remove(OWNER, agent.kind, agent.id)).unwrap()
    another = await agent_profile(plane, task.workspace, chosen({"A": "2"}))

    refused = await plane.resumed(session.id)
    kept = await plane.session(session.id)
    resumed = (await plane.resumed(session.id, profiles=named(another))).unwrap()

    assert refused == Failure(NotFound("agent_profile"))
    assert kept == before
    assert resumed.agent_profile == another.id
    assert layers(plane.runtime.launches[-1])[2][1] == {"A": "2"}


async def test_profiles_that_cannot_be_meant_leave_no_session(plane: Plane) -> None:
    task = await plane.ready_task()
    elsewhere = await plane.workspace()
    foreign = await agent_profile(plane, elsewhere, chosen())
    absent = await agent_profile(plane, task.workspace, chosen(), AgentChoice("absent"))

    for profiles, problem in [
        (named(foreign), NotFound("agent_profile")),
        (Named(ProfileId("none")), NotFound("agent_profile")),
        (Named(None, absent.id), NotFound("executor_profile")),
        (named(absent), OtherAgent("Fast", "absent")),
    ]:
        assert await plane.launched(task.id, profiles=profiles) == Failure(problem)
    assert await plane.sessions(task.id) == []


@pytest.mark.parametrize(
    ("problem", "code", "detail"),
    [
        (OtherAgent("Fast", "claude"), "other_agent", "Fast: claude"),
        (SecretMissing("repository app", "A"), "secret_missing", "repository app: A"),
    ],
)
def test_a_failed_session_says_which_profile(problem: StartProblem, code: str, detail: str) -> None:
    failure = failure_of(problem)

    assert (failure.code, failure.detail) == (code, detail)


async def holding(
    plane: Plane, task: Task, where: str, environment: ChosenEnvironment
) -> tuple[Named, str]:
    """Have a profile or the repository hold this; what a launch then names, and whose it is."""
    if where == "agent":
        agent = await agent_profile(plane, task.workspace, environment)
        return named(agent), agent.id
    if where == "executor":
        executor = await executor_profile(plane, task.workspace, environment)
        return named(None, executor), executor.id
    repository = task.repositories[0].repository
    await repository_has(plane, repository, environment)
    return Named(), repository
