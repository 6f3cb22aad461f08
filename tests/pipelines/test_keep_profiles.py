"""Profiles are kept under a name, changed by who saw them last, and their secrets stay sealed."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.agent import UnknownAgent
from domain.execution import ExecutorType
from domain.identity import ExecutionId, ProfileId, RepositoryId, SessionId, TaskId, WorkspaceId
from domain.outcome import Failure
from domain.principal import Execution
from domain.profile import AgentChoice, ExecutorChoice, ProfileKind, WantedProfile
from domain.stored_environment import EnvironmentFault, StoredEnvironment, UnstorableVariable
from domain.workspace import InvalidName
from pipelines.keep_profiles import KeepProfiles, NameTaken, ProfileChanged
from tests.pipelines.chosen import agent_profile, chosen, executor_profile
from tests.pipelines.plane import OWNER, Plane, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

DEMO = AgentChoice("demo")
VALUE = "kept-out-of-sight"
AGENT, EXECUTOR = ProfileKind
SOMEBODY = Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses"))


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@pytest.fixture
def keep(plane: Plane) -> KeepProfiles:
    return plane.api.profiles


@requirement("profile:kept")
async def test_a_profile_comes_back_as_it_was_stored(plane: Plane, keep: KeepProfiles) -> None:
    workspace = await plane.workspace()
    agent = await agent_profile(plane, workspace, chosen({"A": "1"}))
    executor = await executor_profile(plane, workspace, chosen(), ExecutorType.LOCAL)

    assert (await keep.read(OWNER, AGENT, agent.id)).unwrap() == agent
    assert (await keep.read(OWNER, EXECUTOR, executor.id)).unwrap() == executor
    assert (await keep.page(OWNER, workspace, AGENT, None, 9)).unwrap() == [agent]
    assert agent.choice == DEMO
    assert executor.choice == ExecutorChoice(ExecutorType.LOCAL)


@requirement("profile:secret")
async def test_a_secret_is_sealed_and_known_before_it_is_stored(
    plane: Plane, tmp_path: Path
) -> None:
    workspace = await plane.workspace()

    profile = await agent_profile(plane, workspace, chosen({}, {"TOKEN": VALUE, "LATER": None}))

    assert VALUE in plane.redactor.registered
    assert profile.environment.missing == ("LATER",)
    assert VALUE not in repr(profile)
    assert not any(
        VALUE.encode() in each.read_bytes() for each in tmp_path.iterdir() if each.is_file()
    )


@requirement("profile:secret:kept")
async def test_an_update_keeps_gives_and_takes_secrets(plane: Plane, keep: KeepProfiles) -> None:
    workspace = await plane.workspace()
    secrets: dict[str, str | None] = {"KEPT": VALUE, "GONE": VALUE, "LATER": None}
    before = await agent_profile(plane, workspace, chosen({"A": "1"}, secrets))
    again = chosen({"B": "2"}, {"KEPT": None, "LATER": "now-it-is-there"})

    after = (await keep.update(OWNER, before.id, 0, WantedProfile("Slow", DEMO, again))).unwrap()

    assert after.environment.literals == {"B": "2"}
    assert after.environment.sealed.keys() == {"KEPT", "LATER"}
    assert after.environment.sealed["KEPT"] == before.environment.sealed["KEPT"]
    assert after.environment.missing == ()
    assert (after.name, after.version) == ("Slow", 1)
    assert (await keep.read(OWNER, AGENT, before.id)).unwrap() == after


@requirement("profile:version")
async def test_who_saw_an_older_version_changes_nothing(plane: Plane, keep: KeepProfiles) -> None:
    profile = await agent_profile(plane, await plane.workspace(), chosen({"A": "1"}))
    first = await keep.update(OWNER, profile.id, 0, WantedProfile("First", DEMO))

    second = await keep.update(OWNER, profile.id, 0, WantedProfile("Second", DEMO))

    assert second == Failure(ProfileChanged(1))
    assert (await keep.read(OWNER, AGENT, profile.id)).unwrap() == first.unwrap()


@requirement("profile:refused")
async def test_a_name_is_taken_once_for_each_kind(plane: Plane, keep: KeepProfiles) -> None:
    workspace, elsewhere = await plane.workspace(), await plane.workspace()
    first = await agent_profile(plane, workspace, chosen())
    other = (await keep.create(OWNER, workspace, WantedProfile("Slow", DEMO))).unwrap()

    assert await keep.create(OWNER, workspace, WantedProfile("Fast ", DEMO)) == Failure(
        NameTaken("Fast")
    )
    assert await keep.update(OWNER, other.id, 0, WantedProfile("Fast", DEMO)) == Failure(
        NameTaken("Fast")
    )
    same = WantedProfile("Fast", DEMO)
    assert (await keep.update(OWNER, first.id, 0, same)).unwrap().name == "Fast"
    assert (await keep.create(OWNER, elsewhere, same)).unwrap().name == "Fast"
    where = WantedProfile("Fast", ExecutorChoice(ExecutorType.LOCAL))
    assert (await keep.create(OWNER, workspace, where)).unwrap().kind is EXECUTOR


@requirement("profile:refused")
@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        (WantedProfile(" ", DEMO), InvalidName(0)),
        (WantedProfile("A", AgentChoice("none")), UnknownAgent("none", ("demo", "absent"))),
        (
            WantedProfile("A", DEMO, chosen({"KANDEV_X": "1"})),
            UnstorableVariable("KANDEV_X", EnvironmentFault.RESERVED),
        ),
    ],
)
async def test_what_could_not_be_used_is_neither_made_nor_put_in_place(
    plane: Plane, keep: KeepProfiles, wanted: WantedProfile, problem: object
) -> None:
    workspace = await plane.workspace()
    profile = await agent_profile(plane, workspace, chosen())

    assert await keep.create(OWNER, workspace, wanted) == Failure(problem)
    assert await keep.update(OWNER, profile.id, 0, wanted) == Failure(problem)
    assert (await keep.page(OWNER, workspace, AGENT, None, 9)).unwrap() == [profile]


async def test_a_profile_of_the_other_kind_is_not_there(plane: Plane, keep: KeepProfiles) -> None:
    agent = await agent_profile(plane, await plane.workspace(), chosen())
    missing = Failure(NotFound("executor_profile"))
    where = WantedProfile("Fast", ExecutorChoice(ExecutorType.LOCAL))

    assert await keep.read(OWNER, EXECUTOR, agent.id) == missing
    assert await keep.update(OWNER, agent.id, 0, where) == missing
    assert await keep.remove(OWNER, EXECUTOR, agent.id) == missing
    assert await keep.read(OWNER, AGENT, ProfileId("none")) == Failure(NotFound("agent_profile"))


async def test_a_removed_profile_is_gone(plane: Plane, keep: KeepProfiles) -> None:
    agent = await agent_profile(plane, await plane.workspace(), chosen({}, {"TOKEN": VALUE}))

    (await keep.remove(OWNER, AGENT, agent.id)).unwrap()

    assert await keep.remove(OWNER, AGENT, agent.id) == Failure(NotFound("agent_profile"))


async def test_an_agent_sees_no_profile(plane: Plane, keep: KeepProfiles) -> None:
    workspace = await plane.workspace()
    profile = await agent_profile(plane, workspace, chosen())
    missing, wanted = Failure(NotFound("agent_profile")), WantedProfile("Mine", DEMO)

    assert await keep.read(SOMEBODY, AGENT, profile.id) == missing
    assert await keep.update(SOMEBODY, profile.id, 0, wanted) == missing
    assert await keep.remove(SOMEBODY, AGENT, profile.id) == missing
    assert await keep.create(SOMEBODY, workspace, wanted) == Failure(NotFound("workspace"))
    assert await keep.page(SOMEBODY, workspace, AGENT, None, 9) == Failure(NotFound("workspace"))


async def test_a_workspace_that_is_not_there_has_no_profiles(keep: KeepProfiles) -> None:
    nowhere, missing = WorkspaceId("none"), Failure(NotFound("workspace"))

    assert await keep.create(OWNER, nowhere, WantedProfile("Fast", DEMO)) == missing
    assert await keep.page(OWNER, nowhere, AGENT, None, 9) == missing


@requirement("profile:secret:kept")
async def test_the_variables_of_a_repository_are_kept_alike(plane: Plane) -> None:
    task = await plane.ready_task()
    repository, change = task.repositories[0].repository, plane.api.repository_environment
    empty = (await change.read(OWNER, repository)).unwrap()

    first = (await change(OWNER, repository, chosen({"A": "1"}, {"TOKEN": VALUE}))).unwrap()
    second = (await change(OWNER, repository, chosen({}, {"TOKEN": None}))).unwrap()
    refused = await change(OWNER, repository, chosen({"": "1"}))

    assert empty == StoredEnvironment()
    assert second == StoredEnvironment({}, first.sealed)
    assert VALUE in plane.redactor.registered
    assert refused != second
    assert (await change.read(OWNER, repository)).unwrap() == second
    missing = Failure(NotFound("repository"))
    assert await change(SOMEBODY, repository, chosen()) == missing
    assert await change.read(SOMEBODY, repository) == missing
    assert await change(OWNER, RepositoryId("none"), chosen()) == missing
