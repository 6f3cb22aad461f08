"""What every store keeps to about the reports of agents."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.step_report import StepReport, StepWords
from ports.store import Store
from tests.contracts.store_examples import NOW, Example, stored
from tests.contracts.stores import KINDS, opened
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

EXAMPLE = Example()
REPORT = StepReport(
    EXAMPLE.task.id, EXAMPLE.session.id, StepWords("Größer", "Next \N{ROCKET}", "None"), NOW
)


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Store]:
    async with opened(request, request.param, tmp_path, ManualClock(NOW)) as made:
        await stored(made, EXAMPLE)
        yield made


@requirement("mcp:step")
async def test_the_last_report_of_a_task_is_kept_and_goes_with_it(store: Store) -> None:
    last = replace(REPORT, words=StepWords("Anew"))
    async with store.write() as unit:
        assert await unit.report(REPORT.task) is None
        await unit.put_report(REPORT)
    async with store.write() as unit:
        assert await unit.report(REPORT.task) == REPORT
        await unit.put_report(last)

    async with store.write() as unit:
        assert await unit.report(REPORT.task) == last
        await unit.remove_task(REPORT.task)
    async with store.read() as state:
        assert await state.report(REPORT.task) is None
