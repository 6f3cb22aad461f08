"""Talking to an agent: turns begin in the store, and end there when the agent cannot begin."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.identity import ExecutionId, SessionId, TaskId
from domain.outcome import Failure
from domain.principal import Execution
from domain.secret import Secret
from domain.session import Move, NotAllowed, SessionState
from domain.task import MAX_PROMPT_BYTES, InvalidPrompt
from domain.turn import TurnState
from ports.runtime import RuntimeCode, RuntimeProblem
from tests.pipelines.plane import OWNER, Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AGENT = Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses"))
NOBODY = SessionId("ses_none")


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("session:turn:begun")
async def test_a_prompt_begins_a_turn_with_a_generation_of_its_own(plane: Plane) -> None:
    session = await plane.running()

    turn = (await plane.api.prompt(OWNER, session.id, "Go.")).unwrap()

    assert (turn.generation, turn.state, turn.prompt) == (1, TurnState.RUNNING, "Go.")
    assert await plane.turns(session.id) == [turn]
    assert plane.runtime.prompts == [(handle(session), 1, "Go.")]
    assert (await plane.session(session.id)).state is SessionState.RUNNING


@requirement("redaction:everywhere")
async def test_a_secret_in_a_prompt_reaches_the_agent_and_is_not_kept(plane: Plane) -> None:
    session = await plane.running()
    plane.redactor.register(Secret("hunter2-hunter2"))

    turn = (await plane.api.prompt(OWNER, session.id, "Use hunter2-hunter2.")).unwrap()

    assert [text for _, _, text in plane.runtime.prompts] == ["Use hunter2-hunter2."]
    assert await plane.turns(session.id) == [turn]
    assert turn.prompt == "Use ***."


async def test_one_turn_runs_at_a_time(plane: Plane) -> None:
    session = await plane.running()
    turn = (await plane.api.prompt(OWNER, session.id, "Go.")).unwrap()

    outcome = await plane.api.prompt(OWNER, session.id, "And this.")

    assert outcome == Failure(NotAllowed(SessionState.RUNNING, Move.TURN_BEGAN))
    assert await plane.turns(session.id) == [turn]
    assert len(plane.runtime.prompts) == 1


@requirement("session:turn:begun")
async def test_a_prompt_that_the_agent_does_not_take_fails_its_turn_and_frees_the_session(
    plane: Plane,
) -> None:
    session = await plane.running()
    problem = RuntimeProblem(RuntimeCode.UNREACHABLE, "agentctl does not answer")
    plane.runtime.refuses["prompt"] = problem

    outcome = await plane.api.prompt(OWNER, session.id, "Go.")
    plane.runtime.refuses.clear()
    again = (await plane.api.prompt(OWNER, session.id, "Go.")).unwrap()

    [first, second] = await plane.turns(session.id)
    assert outcome == Failure(problem)
    assert (first.state, first.error) == (TurnState.FAILED, problem.detail)
    assert (second, second.generation) == (again, 2)


@pytest.mark.parametrize(
    ("text", "size"), [("", 0), (" \n", 2), ("x" * (MAX_PROMPT_BYTES + 1), MAX_PROMPT_BYTES + 1)]
)
async def test_a_prompt_that_is_none_begins_nothing(plane: Plane, text: str, size: int) -> None:
    session = await plane.running()

    assert await plane.api.prompt(OWNER, session.id, text) == Failure(InvalidPrompt(size))
    assert await plane.turns(session.id) == []


async def test_a_session_whose_agent_is_gone_takes_no_prompt(plane: Plane) -> None:
    session = await plane.stopped(await plane.running())

    prompted = await plane.api.prompt(OWNER, session.id, "Go.")
    answered = await plane.api.answer(OWNER, session.id, "ask-1", "allow")

    assert prompted == Failure(NotAllowed(SessionState.STOPPED, Move.TURN_BEGAN))
    assert answered == Failure(NotAllowed(SessionState.STOPPED, Move.TURN_ENDED))
    assert plane.runtime.answers == []


async def test_a_cancel_reaches_a_running_turn_and_is_nothing_without_one(plane: Plane) -> None:
    session = await plane.running()

    (await plane.api.cancel(OWNER, session.id)).unwrap()
    assert plane.runtime.cancelled == []

    (await plane.api.prompt(OWNER, session.id, "Go.")).unwrap()
    (await plane.api.cancel(OWNER, session.id)).unwrap()
    assert plane.runtime.cancelled == [handle(session)]


@pytest.mark.parametrize("option", ["allow-once", None])
async def test_an_answer_goes_to_the_agent_as_it_was_given(
    plane: Plane, option: str | None
) -> None:
    session = await plane.running()

    (await plane.api.answer(OWNER, session.id, "ask-1", option)).unwrap()

    assert plane.runtime.answers == [(handle(session), "ask-1", option)]


@requirement("session:person")
async def test_neither_a_stranger_session_nor_an_agent_is_heard(plane: Plane) -> None:
    session = await plane.running()
    missing = Failure(NotFound("session"))

    for principal, asked in ((OWNER, NOBODY), (AGENT, session.id)):
        assert await plane.api.prompt(principal, asked, "Go.") == missing
        assert await plane.api.cancel(principal, asked) == missing
        assert await plane.api.answer(principal, asked, "ask-1", None) == missing
        assert await plane.api.stop(principal, asked) == missing
    assert (plane.runtime.prompts, plane.runtime.answers, plane.runtime.stopped) == ([], [], [])
