"""What every store keeps to about profiles and stored environments."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.execution import ExecutorType
from domain.identity import ProfileId, WorkspaceId
from domain.mcp_server import McpServer, McpTransport
from domain.profile import AgentChoice, ExecutorChoice, Profile, ProfileKind
from domain.stored_environment import StoredEnvironment
from ports.store import Store
from tests.contracts.store_examples import NOW, Example, stored
from tests.contracts.stores import KINDS, opened
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

EXAMPLE = Example()
ENVIRONMENT = StoredEnvironment(
    {"EMPTY": "", "TEXT": "Größer \N{ROCKET}\n"}, {"LATER": None, "TOKEN": b"\0sealed"}
)
AGENT = Profile(
    ProfileId("pro_a"),
    EXAMPLE.workspace.id,
    "Fast",
    AgentChoice(
        "claude",
        "large",
        "Be brief.",
        (
            McpServer("files", McpTransport.STDIO, "mcp-files", ("--root", "."), ("TOKEN",)),
            McpServer("docs", McpTransport.HTTP, url="https://a.example", headers={"K": "TOKEN"}),
        ),
    ),
    ENVIRONMENT,
    NOW,
)
EXECUTOR = Profile(
    ProfileId("pro_b"),
    EXAMPLE.workspace.id,
    "Fast",
    ExecutorChoice(ExecutorType.LOCAL),
    StoredEnvironment(),
    NOW,
)


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    async with opened(request, request.param, tmp_path, ManualClock(NOW)) as made:
        await stored(made, EXAMPLE)
        async with made.write() as unit:
            await unit.add_profile(AGENT)
            await unit.add_profile(EXECUTOR)
        yield made


@requirement("profile:kept")
async def test_profiles_come_back_equal(store: Store) -> None:
    workspace = EXAMPLE.workspace.id

    async with store.read() as state:
        assert await state.profile(AGENT.id) == AGENT
        assert await state.profile(EXECUTOR.id) == EXECUTOR
        assert await state.profile_named(workspace, ProfileKind.EXECUTOR, "Fast") == EXECUTOR
        assert await state.profile_named(workspace, ProfileKind.AGENT, "fast") is None
        assert await state.profiles(workspace, ProfileKind.AGENT, None, 9) == [AGENT]
        assert await state.profiles(workspace, ProfileKind.AGENT, AGENT.id, 9) == []
        assert await state.profiles(WorkspaceId("ws_b"), ProfileKind.AGENT, None, 9) == []


async def test_profiles_are_read_in_pages(store: Store) -> None:
    more = [replace(AGENT, id=ProfileId(f"pro_c{n}"), name=f"{n}") for n in range(3)]
    async with store.write() as unit:
        for each in more:
            await unit.add_profile(each)

    async with store.read() as state:
        page = await state.profiles(EXAMPLE.workspace.id, ProfileKind.AGENT, AGENT.id, 2)
    assert page == more[:2]


@requirement("profile:version")
async def test_a_profile_is_saved_by_whoever_saw_its_newest_version(store: Store) -> None:
    changed = replace(AGENT, name="Slow", choice=AgentChoice("claude"))
    late = replace(changed, name="Late", environment=StoredEnvironment({"LATE": "1"}))

    async with store.write() as unit:
        first = await unit.save_profile(replace(changed, environment=StoredEnvironment({"A": ""})))
        second = await unit.save_profile(late)
        found = await unit.profile(AGENT.id)

    assert (first, second) == (True, False)
    assert found == replace(changed, environment=StoredEnvironment({"A": ""}), version=1)


async def test_a_removed_profile_takes_its_variables_and_leaves_sessions(store: Store) -> None:
    session = replace(EXAMPLE.session, agent_profile=AGENT.id, executor_profile=EXECUTOR.id)

    async with store.write() as unit:
        assert await unit.save_session(session)
        assert await unit.remove_profile(AGENT.id)
        assert not await unit.remove_profile(AGENT.id)

    async with store.read() as state:
        assert await state.session(session.id) == replace(session, version=1)
        assert await state.sealed_values() == [b"sealed"]


async def test_a_workspace_takes_its_profiles_along(store: Store) -> None:
    async with store.write() as unit:
        await unit.remove_task(EXAMPLE.task.id)
        await unit.remove_workspace(EXAMPLE.workspace.id)

    async with store.read() as state:
        assert await state.profile(AGENT.id) is None
        assert await state.sealed_values() == []


async def test_the_environment_of_a_repository_is_put_whole(store: Store) -> None:
    repository = EXAMPLE.repository.id

    async with store.write() as unit:
        before = await unit.repository_environment(repository)
        await unit.put_repository_environment(repository, StoredEnvironment({"OLD": "1"}))
        await unit.put_repository_environment(repository, ENVIRONMENT)

    async with store.read() as state:
        assert before == StoredEnvironment()
        assert await state.repository_environment(repository) == ENVIRONMENT


@requirement("profile:secret")
async def test_every_sealed_variable_is_among_what_the_key_must_open(store: Store) -> None:
    other = StoredEnvironment({}, {"KEY": b"of the repository", "LATER": None})
    async with store.write() as unit:
        await unit.put_repository_environment(EXAMPLE.repository.id, other)

    async with store.read() as state:
        sealed = await state.sealed_values()
    assert sorted(sealed) == [b"\0sealed", b"of the repository", b"sealed"]
