"""An agent asks its user, waits, and has the answer, whoever gives it and whenever."""

import asyncio
from typing import Any

import pytest
from mcp_types import CallToolResult

from adapters.mcp.arguments import AskUserQuestion, parse
from domain.inquiry import MAX_OPTIONS, MAX_QUESTIONS
from domain.outcome import failed
from domain.session import Session
from tests.adapters.mcp.conftest import Tools, agent_of, tools_for
from tests.pipelines.plane import OWNER, Plane
from tests.requirements import requirement

Json = dict[str, Any]

COLOUR: Json = {
    "prompt": "Which colour?",
    "options": [
        {"label": "Red", "description": "Like the door."},
        {"label": "Blue", "description": "Like the sea."},
    ],
}


def asking(questions: int = 1, options: int = 2) -> Json:
    option = {"label": "Red", "description": "Like the door."}
    return {"questions": [{"prompt": "Which?", "options": [option] * options}] * questions}


@requirement("mcp:ask")
@pytest.mark.parametrize(
    ("asked", "where"),
    [
        (asking(0), "/questions (keyword: minItems)"),
        (asking(MAX_QUESTIONS + 1), "/questions (keyword: maxItems)"),
        (asking(1, 1), "/questions/0/options (keyword: minItems)"),
        (asking(1, MAX_OPTIONS + 1), "/questions/0/options (keyword: maxItems)"),
    ],
)
def test_questions_and_options_are_bounded(asked: Json, where: str) -> None:
    assert parse(AskUserQuestion, asked).failure() == f"validation failed at {where}"


def test_questions_and_options_at_their_bounds_are_taken() -> None:
    assert not failed(parse(AskUserQuestion, asking(MAX_QUESTIONS, MAX_OPTIONS)))


class Heard:
    """Hears the progress of a call: the first word says that the questions are stored."""

    def __init__(self) -> None:
        self.told = asyncio.Event()

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        assert message == "Waiting for the user to answer."
        self.told.set()


async def ask(agent: Tools, **arguments: object) -> asyncio.Task[CallToolResult]:
    """A call that waits for its answer."""
    heard = Heard()
    call = asyncio.create_task(
        agent.client.call_tool("ask_user_question_kandev", arguments, progress_callback=heard)
    )
    async with asyncio.timeout(20):
        await heard.told.wait()
    return call


async def pending(people: Tools, session: Session) -> Json:
    """The one inquiry that waits."""
    async with people.plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    shown = await people.ok("list_pending_questions", workspace_id=task.workspace)
    (one,) = shown["pending"]
    found: Json = one
    return found


@pytest.mark.anyio
@requirement("mcp:ask")
async def test_an_agent_waits_for_the_first_answer_and_it_stands(plane: Plane) -> None:
    session = await plane.running()
    async with tools_for(plane, agent_of(session)) as agent, tools_for(plane, OWNER) as people:
        call = await ask(agent, questions=[COLOUR], context="The wall is bare.")
        asked = await pending(people, session)
        answer = {"question_id": "1", "selected_options": ["Blue"], "custom_text": "Dark."}
        name = {"pending_id": asked["pending_id"]}
        wrong = [
            await people.refused("answer_question", **name, answers=given, reject_reason=reason)
            for given, reason in (
                ([], None),
                ([answer], "No."),
                ([{"question_id": "1", "selected_options": ["Green"]}], None),
                ([{"question_id": "1"}], None),
                ([answer, answer], None),
                ([answer, {**answer, "question_id": "2"}], None),
            )
        ]
        first = await people.ok("answer_question", **name, answers=[answer])
        second = await people.ok("answer_question", **name, reject_reason="Too late.")
        result = (await call).structured_content

    assert (asked["context"], asked["questions"][0]["prompt"]) == (
        "The wall is bare.",
        "Which colour?",
    )
    assert [each.split(":")[0] for each in wrong] == ["answer_or_reject"] * 2 + [
        "invalid_answer"
    ] * 4
    assert (first["claimed"], second["claimed"]) == (True, False)
    assert result == first["resolution"] == second["resolution"]
    assert result["answers"] == [answer]
    assert plane.runtime.prompts == []


@pytest.mark.anyio
@requirement("mcp:ask-late")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"answers": [{"question_id": "1", "selected_options": ["Red"]}]}, "Which colour?\nRed"),
        ({"reject_reason": "Ask me tomorrow."}, "Ask me tomorrow."),
    ],
)
async def test_an_answer_that_nobody_waits_for_any_more_comes_as_a_message(
    plane: Plane, given: Json, said: str
) -> None:
    session = await plane.running()
    async with tools_for(plane, agent_of(session)) as agent, tools_for(plane, OWNER) as people:
        call = await ask(agent, questions=[COLOUR])
        asked = await pending(people, session)
        call.cancel()
        await asyncio.wait({call})
        # The server ends the call when it hears of it; until then the answer still has its waiter.
        await agent.ok("get_task", task_id="self")
        answered = await people.ok("answer_question", pending_id=asked["pending_id"], **given)

    assert answered["claimed"]
    (prompt,) = [text for _, _, text in plane.runtime.prompts]
    assert said in prompt


@pytest.mark.anyio
@requirement("mcp:ask")
async def test_only_an_agent_asks_and_only_a_person_answers(plane: Plane) -> None:
    session = await plane.running()
    async with tools_for(plane, agent_of(session)) as agent, tools_for(plane, OWNER) as people:
        offered = [
            {each.name for each in (await tools.client.list_tools()).tools}
            for tools in (agent, people)
        ]
        unknown = await people.refused("answer_question", pending_id="x", reject_reason="No.")

    assert [("ask_user_question_kandev" in each) for each in offered] == [True, False]
    assert [("answer_question_kandev" in each) for each in offered] == [False, True]
    assert unknown.startswith("question_not_found: ")
