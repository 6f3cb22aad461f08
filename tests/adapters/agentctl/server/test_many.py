"""Many agents at once on one agentctl: every turn has its own words, whole and in order."""

import asyncio

import pytest

from tests.adapters.agentctl.server.conftest import House, texts, turn
from tests.requirements import requirement
from tests.soak import repetitions

pytestmark = [pytest.mark.anyio, pytest.mark.soak]

WORDS = 200


@requirement("agentctl:protocol:order")
async def test_turns_that_stream_at_the_same_time_do_not_mix(house: House) -> None:
    executions = [f"{house.execution}-{number}" for number in repetitions(50, sample=6)]
    async with asyncio.TaskGroup() as group:
        launches = [
            group.create_task(
                house.launch(execution=each, task=each, workspace=str(house.home / each))
            )
            for each in executions
        ]
    async with asyncio.TaskGroup() as group:
        turns = [
            group.create_task(turn(launched.result(), 1, f"say:{execution} count:{WORDS}"))
            for execution, launched in zip(executions, launches, strict=True)
        ]

    for execution, told in zip(executions, turns, strict=True):
        first, *words = texts(told.result())
        assert first == execution
        assert [int(word.split()[0]) for word in words] == list(range(WORDS))
        assert told.result()[-1].body["state"] == "completed"
