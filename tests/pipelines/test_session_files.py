"""Files of a session: who is answered, what starts an agent, and what is refused before."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.checkout_file import InvalidContent, InvalidQuery, Search, Write
from domain.identity import ExecutionId
from domain.outcome import Failure
from domain.principal import Execution
from domain.worktree_path import InvalidPath
from ports.runtime import RuntimeCode, RuntimeProblem
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("session-files:person")
async def test_a_person_is_answered_and_an_agent_is_not(plane: Plane) -> None:
    session = await plane.running()
    agent = Execution(session.execution or ExecutionId(""), session.task, session.id)
    look, write = plane.api.look_at_files, plane.api.write_file

    (await look.read(OWNER, session.id, "app", "a")).unwrap()

    assert plane.instance_files.asked == [(handle(session), "app", "a")]
    for refused in (
        await look.list(agent, session.id, None, ""),
        await look.read(agent, session.id, None, "a"),
        await look.search(agent, session.id, None, Search("x")),
        await write(agent, session.id, None, Write("a", "")),
    ):
        assert refused == Failure(NotFound("session"))


@requirement("session-files:person")
async def test_a_look_starts_nothing_and_a_write_resumes(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())
    look = plane.api.look_at_files

    for looked in (
        await look.list(OWNER, session.id, None, ""),
        await look.read(OWNER, session.id, None, "a"),
        await look.search(OWNER, session.id, None, Search("x")),
    ):
        detail = "the session is stopped: no agent runs in it"
        assert looked == Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, detail))
    (await plane.api.write_file(OWNER, session.id, None, Write("a", ""))).unwrap()

    resumed = await plane.session(session.id)
    assert plane.instance_files.asked == [(handle(resumed), None, Write("a", ""))]


@requirement("session-files:inside")
async def test_what_cannot_be_meant_reaches_no_instance(plane: Plane) -> None:
    session = await plane.running()
    look = plane.api.look_at_files

    for refused, problem in (
        (await look.list(OWNER, session.id, None, "/"), InvalidPath()),
        (await look.read(OWNER, session.id, None, "../a"), InvalidPath()),
        (await look.search(OWNER, session.id, None, Search("")), InvalidQuery()),
        (
            await plane.api.write_file(OWNER, session.id, None, Write("a", "", replaces="x")),
            InvalidContent(),
        ),
    ):
        assert refused == Failure(problem)
    assert plane.instance_files.asked == []
