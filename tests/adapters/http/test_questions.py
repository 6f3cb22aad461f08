"""What agents ask their user, over REST."""

import pytest

from domain.identity import SessionId
from domain.inquiry import Choice, Question
from tests.adapters.http.conftest import Web
from tests.adapters.mcp.conftest import agent_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

WHICH = Question("1", "Which?", (Choice("Red", "Warm."), Choice("Blue", "Cold.")))


@requirement("mcp:ask")
@requirement("mcp:ask-late")
async def test_a_person_sees_what_waits_and_answers_it_once(web: Web) -> None:
    shown = await web.session()
    session = await web.plane.session(SessionId(shown["id"]))
    async with web.plane.store.read() as state:
        task = await state.task(session.task)
    assert task is not None
    asked = await web.plane.container.tools().ask_user(agent_of(session), "Why.", [WHICH])
    waits = f"/api/v1/workspaces/{task.workspace}/questions"
    path = f"/api/v1/questions/{asked.unwrap().id}/answer"
    reply = {"question_id": "1", "selected_options": ["Red"]}

    (pending,) = await web.ok("GET", waits)
    for wrong in (
        {},
        {"answers": [{"question_id": "1", "selected_options": ["Green"]}]},
        {"answers": [reply], "reject_reason": "No."},
    ):
        assert await web.refused("POST", path, wrong) == (400, "invalid_answer")
    first = await web.ok("POST", path, {"answers": [reply]})
    second = await web.ok("POST", path, {"reject_reason": "No."})

    assert (pending["context"], pending["questions"][0]["prompt"]) == ("Why.", "Which?")
    assert (first["claimed"], second["claimed"]) == (True, False)
    assert first["inquiry"] == second["inquiry"]
    assert first["inquiry"]["resolution"]["replies"][0]["selected"] == ["Red"]
    assert await web.ok("GET", waits) == []
    assert ["Red" in text for _, _, text in web.plane.runtime.prompts] == [True]


@requirement("rest:problems")
async def test_questions_that_are_not_there_have_their_codes(web: Web) -> None:
    answer = {"reject_reason": "No."}

    assert await web.refused("GET", "/api/v1/workspaces/none/questions") == (
        404,
        "workspace_not_found",
    )
    assert await web.refused("POST", "/api/v1/questions/none/answer", answer) == (
        404,
        "question_not_found",
    )
