"""Turns of a real agent: their events, their order, their one ending."""

import json
import os
import signal

import pytest

from domain.secret import Secret
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.conftest import House, Open, Seen, texts, turn, watch
from tests.eventually import eventually
from tests.full_disk import full_disk
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def _ending(seen: list[Seen]) -> dict[str, object]:
    (ending,) = [event for event in seen if event.kind == "complete"]
    return {"generation": ending.generation, **ending.body}


@requirement("agentctl:turn:endings")
async def test_a_turn_carries_its_generation_from_its_start_to_its_end(house: House) -> None:
    instance = await house.launch()

    first = await turn(instance, 7, "say:hi say:there")
    second = await turn(instance, 9, "say:again")

    assert [(event.kind, event.generation, event.body) for event in first] == [
        ("turn_started", 7, {}),
        ("message_chunk", 7, {"text": "hi"}),
        ("message_chunk", 7, {"text": "there"}),
        (
            "complete",
            7,
            {"state": "completed", "stop_reason": "end_turn", "error": None, "evidence": []},
        ),
    ]
    assert {event.generation for event in second} == {9}
    assert instance.turn_generation is None


@requirement("agentctl:protocol:order")
async def test_updates_keep_their_order_and_none_is_lost(house: House) -> None:
    instance = await house.launch()

    seen = await turn(instance, 1, "count:5000")

    assert [int(text.split()[0]) for text in texts(seen)] == list(range(5000))
    assert [event.n for event in seen] == list(range(seen[0].n, seen[0].n + 5002))


@requirement("agentctl:protocol:order")
async def test_what_comes_with_the_answer_is_in_the_turn(house: House) -> None:
    instance = await house.launch()

    seen = await turn(instance, 1, "say:body late:trailing")

    assert texts(seen) == ["body", "trailing"]
    assert seen[-1].kind == "complete"


@requirement("agentctl:turn:one")
async def test_one_turn_runs_at_a_time(house: House) -> None:
    instance = await house.launch()
    instance.prompt(1, "wait").unwrap()

    refused = instance.prompt(2, "say:no").failure()

    assert (refused.code, instance.turn_generation) == (RuntimeCode.BUSY, 1)


@requirement("agentctl:turn:cancel")
async def test_an_agent_that_heeds_a_cancellation_ends_its_turn(house: House) -> None:
    instance = await house.launch()
    instance.prompt(1, "say:begun wait").unwrap()
    await watch(instance, "message_chunk")

    instance.cancel()
    seen = await watch(instance, "complete")

    assert _ending(seen) == {
        "generation": 1,
        "state": "cancelled",
        "stop_reason": "cancelled",
        "error": None,
        "evidence": [],
    }


@requirement("agentctl:turn:cancel")
async def test_an_agent_that_ignores_a_cancellation_does_not_keep_its_turn(house: House) -> None:
    instance = await house.launch()
    instance.prompt(1, "say:begun deaf").unwrap()
    await watch(instance, "message_chunk")

    instance.cancel()
    seen = await watch(instance, "complete")
    after = await turn(instance, 2, "say:next")

    assert _ending(seen)["state"] == "cancelled"
    assert texts(after) == ["next"]


@requirement("agentctl:turn:cancel")
async def test_cancelling_nothing_is_nothing(house: House) -> None:
    instance = await house.launch()

    instance.cancel()
    seen = await turn(instance, 1, "say:hi")

    assert _ending(seen)["state"] == "completed"


@requirement("agentctl:turn:endings")
@requirement("events:failure-reason")
async def test_an_agent_that_answers_with_an_error_fails_the_turn_and_lives(house: House) -> None:
    instance = await house.launch()

    seen = await turn(instance, 1, "say:a fail")
    after = await turn(instance, 2, "say:b")

    assert [event.kind for event in seen[-2:]] == ["error", "complete"]
    assert seen[-2].body["code"] == "agent_refused"
    assert "no luck" in seen[-2].body["detail"]
    assert _ending(seen)["state"] == "failed"
    assert _ending(seen)["reason"] == "agent_runtime_error"
    assert _ending(seen)["retryable"] is False
    assert texts(after) == ["b"]


@requirement("agentctl:turn:endings")
@requirement("agentctl:stderr")
@pytest.mark.parametrize(
    ("script", "how"),
    [("crash:3", {"status": 3, "signal": None}), ("kill", {"status": None, "signal": 9})],
)
async def test_an_agent_that_dies_fails_its_turn_and_says_how(
    house: House, script: str, how: dict[str, int | None]
) -> None:
    instance = await house.launch()
    await turn(instance, 1, "stderr:evidence")
    if script == "kill":
        instance.prompt(2, "wait").unwrap()
        assert instance.identity is not None
        os.kill(instance.identity[0], signal.SIGKILL)
    else:
        instance.prompt(2, script).unwrap()

    seen = await watch(instance)

    assert [event.kind for event in seen[-3:]] == ["error", "complete", "exited"]
    error, ending, exited = seen[-3:]
    assert error.body["code"] == "agent_died"
    assert {name: exited.body[name] for name in how} == how
    assert "evidence" in exited.body["stderr"]
    assert (ending.generation, ending.body["state"]) == (2, "failed")
    assert instance.prompt(3, "say:no").failure().code is RuntimeCode.AGENT_DIED
    assert instance.over


@requirement("events:tools")
async def test_tool_calls_that_never_ended_are_cancelled_with_the_turn(house: House) -> None:
    instance = await house.launch()

    seen = await turn(instance, 1, "tool:c1")

    assert [(event.kind, event.body.get("status")) for event in seen[-3:-1]] == [
        ("tool_call", "in_progress"),
        ("tool_update", "cancelled"),
    ]


@requirement("agentctl:permission:brokered")
async def test_a_permission_request_is_answered_once_with_what_was_offered(house: House) -> None:
    instance = await house.launch()
    instance.prompt(1, "ask:allow_once,reject_once").unwrap()
    request = (await watch(instance, "permission_request"))[-1].body

    wrong = instance.answer(request["id"], "allow_always").failure()
    instance.answer(request["id"], "reject_once").unwrap()
    again = instance.answer(request["id"], "allow_once").failure()
    unknown = instance.answer("p99", "allow_once").failure()
    seen = await watch(instance, "complete")

    assert [option["kind"] for option in request["options"]] == ["allow_once", "reject_once"]
    assert request["tool_call"]["toolCallId"] == "c1"
    assert wrong.code is RuntimeCode.INVALID
    assert [again.code, unknown.code] == [RuntimeCode.NO_PERMISSION] * 2
    assert [event.body for event in seen if event.kind == "permission_resolved"] == [
        {"id": request["id"], "option": "reject_once", "by": "user"}
    ]
    assert json.loads(texts(seen)[0])["outcome"]["optionId"] == "reject_once"


@requirement("agentctl:permission:brokered")
async def test_a_cancelled_turn_cancels_what_its_agent_asked(house: House) -> None:
    instance = await house.launch()
    instance.prompt(1, "ask:allow_once wait").unwrap()
    await watch(instance, "permission_request")

    instance.cancel()
    seen = await watch(instance, "complete")

    assert json.loads(texts(seen)[0])["outcome"]["outcome"] == "cancelled"
    assert [event.body["by"] for event in seen if event.kind == "permission_resolved"] == [
        "cancelled"
    ]


@requirement("agentctl:permission:automatic")
@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        ("reject_once,allow_once", {"outcome": "selected", "optionId": "allow_once"}),
        ("reject_once,reject_always", {"outcome": "cancelled"}),
    ],
)
async def test_approving_on_its_own_allows_or_cancels(
    house: House, options: str, outcome: dict[str, str]
) -> None:
    instance = await house.launch(approve_automatically=True)

    seen = await turn(instance, 1, f"ask:{options}")

    assert json.loads(texts(seen)[0])["outcome"] == outcome


@requirement("events:acknowledged")
async def test_an_agent_waits_at_the_bound_and_loses_nothing(open_house: Open) -> None:
    async with open_house(log=100_000) as house:
        instance = await house.launch()
        instance.prompt(1, "count:3000 say:done").unwrap()
        await eventually(lambda: instance.log.held >= 100_000)
        held = instance.log.last

        seen: list[Seen] = []
        last = 0
        while not seen or seen[-1].kind != "complete":
            news = await watch(instance, "message_chunk", last)
            seen, last = [*seen, *news], news[-1].n
            instance.acknowledge(last)
            if texts(seen)[-1:] == ["done"]:
                seen += await watch(instance, "complete", last)

    assert held < 3000
    assert [int(text.split()[0]) for text in texts(seen)[:-1]] == list(range(3000))


@requirement("events:redacted")
async def test_a_secret_that_the_agent_says_is_in_no_event(house: House) -> None:
    house.redactor.register(Secret("correct-horse-battery")).unwrap()
    instance = await house.launch()

    seen = await turn(instance, 1, "say:xcorrect-horse-batteryx stderr:correct-horse-battery")
    await instance.stop()
    everything = b"".join([piece async for piece in instance.log.follow(0)])

    assert texts(seen) == ["x[REDACTED]x"]
    assert b"correct-horse" not in everything
    assert b"[REDACTED]" in everything


@requirement("events:durable")
async def test_a_full_disk_holds_the_agent_back_and_loses_nothing(house: House) -> None:
    instance = await house.launch()

    with full_disk(20_000):
        instance.prompt(1, "count:3000").unwrap()
        await eventually(lambda: instance.log.stuck)
        during = instance.log.last
    seen = await watch(instance, "complete")

    assert during < 3000
    assert [int(text.split()[0]) for text in texts(seen)] == list(range(3000))
