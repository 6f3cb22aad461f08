"""What a decision rests on: nothing stale in any layer, and a connection that can be used."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.broker_contract import NAMES
from domain.connection import Status
from domain.outcome import failed
from tests.pipelines.plane import Plane, plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("session:start:agree")
@pytest.mark.parametrize("policy", ["managed", "executor"])
async def test_what_an_earlier_managed_access_left_is_taken_from_every_layer(
    plane: Plane, policy: str
) -> None:
    stale = {
        "KANDEV_BROKER_SOCKET": "/old.sock",
        "KEPT": "yes",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": "/hooks",
    }
    task = await plane.ready_task(policy)

    (await plane.launched(task.id, environment=stale)).unwrap()

    request = dict(plane.runtime.launches[0].layers[-1].variables)
    assert request == {name: value for name, value in stale.items() if name not in NAMES}


@requirement("session:start:agree")
async def test_a_connection_that_cannot_be_used_stops_launch_and_resume_alike(
    plane: Plane,
) -> None:
    task = await plane.ready_task("managed")
    session = await plane.stopped((await plane.launched(task.id)).unwrap())
    async with plane.store.write() as unit:
        [connection] = await unit.connections(task.workspace)
        await unit.put_connection(replace(connection, status=Status.SUSPENDED), b"sealed")

    resumed = await plane.resumed(session.id)
    launched = await plane.launched(task.id)

    assert failed(resumed)
    assert failed(launched)
    assert resumed.failure() == launched.failure()
    assert len(plane.runtime.launches) == 1
