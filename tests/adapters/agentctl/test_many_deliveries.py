"""Many agents ask at once, some leave and some are replaced: each file is whole and in its place."""

import asyncio
import random
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from adapters.agentctl.bundle_sink import AgentctlBundleSink
from adapters.bundles.desk import BundleDesk
from domain.bundle import Source
from domain.bundle_manifest import Product
from domain.execution import Handle
from domain.identity import ExecutionId, UserId
from domain.outcome import failed
from domain.principal import Execution
from pipelines.deliver_bundle import (
    BundleDelivery,
    DeliverBundle,
    ExecutionChanged,
    Step,
)
from pipelines.owner_scope import OwnerScope
from tests.adapters.agentctl.served import Served, served
from tests.fakes.drawer import Drawer
from tests.git_oracle import isolated
from tests.pipelines.plane import Plane, handle, plane_over
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

CALLS = 50
SESSIONS = 5
SIZE = 1_500_000


@dataclass(frozen=True)
class Site:
    """An agent that works in a repository."""

    handle: Handle
    workspace: Path

    def git_status(self) -> str:
        return _git(self.workspace, "status", "--porcelain", "-uall")

    def bundles(self) -> dict[str, bytes]:
        found = self.workspace.glob(".kandev/diagnostics/*.*")
        return {each.name: each.read_bytes() for each in found if each.name != ".gitignore"}


def _git(directory: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(directory), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=isolated(directory),
    )
    return done.stdout


async def sites(plane: Plane, agentctl: Served, home: Path) -> list[Site]:
    made: list[Site] = []
    for number in range(SESSIONS):
        name = handle(await plane.running())
        # What carries the name of an execution is taken for its leftovers: it is this test's own.
        own = ExecutionId(f"{agentctl.house.execution}-{number}")
        async with plane.store.write() as unit:
            execution, session = await unit.execution(name.execution), None
            assert execution is not None
            await unit.put_execution(replace(execution, id=own))
            session = await unit.session(name.session)
            assert session is not None
            await unit.save_session(replace(session, execution=own))
        workspace = home / f"site-{number}"
        workspace.mkdir()
        _git(workspace, "init", "-q")
        instance = await agentctl.house.launch(
            execution=own, task=name.task, session=name.session, workspace=str(workspace)
        )
        made.append(Site(instance.handle, workspace))
    return made


@requirement("bundle:tool:many")
async def test_fifty_calls_with_cancels_and_replacements(tmp_path: Path) -> None:
    chance = random.Random(7)
    async with (
        plane_over(tmp_path) as plane,
        served(tmp_path / "agentctl") as agentctl,
        agentctl.keeper("unix") as keeper,
    ):
        drawer = Drawer(plane.clock)
        drawer.data = chance.randbytes(SIZE)
        desk = BundleDesk(
            dict.fromkeys(Source, drawer),
            lambda: 0,
            lambda: 1 << 40,
            Product("1", "", "Linux", "x"),
            plane.clock,
            plane.ids,
            drawer,
        )
        deliver = DeliverBundle(
            scope=OwnerScope(plane.store),
            store=plane.store,
            bundles=desk,
            sink=AgentctlBundleSink(keeper),
            fences=plane.container.fences(),
            clock=plane.clock,
        )
        (tmp_path / "sites").mkdir()
        places = await sites(plane, agentctl, tmp_path / "sites")
        async with desk:
            outcomes = await _fifty(plane, deliver, drawer, places, chance)
            statuses = {each.git_status() for each in places}
            jobs = {each.bundle for each in outcomes if isinstance(each, BundleDelivery)}
            archive = desk.bundle(UserId("owner"), min(jobs)).unwrap()
            whole = b"".join([part async for part in archive.chunks(0, archive.archive.length)])
            found = [each.bundles() for each in places]
            staged = agentctl.house.bundles.staged

    assert statuses == {""}
    assert len(jobs) == len(drawer.asked) == 1
    assert staged == 0
    # The last of the sessions was replaced while the bytes were on their way.
    assert found[:-1] == [{f"{min(jobs)}.zip": whole}] * (SESSIONS - 1)
    assert found[-1] == {}
    assert "cancelled" in outcomes
    assert ExecutionChanged() in outcomes


async def _fifty(
    plane: Plane,
    deliver: DeliverBundle,
    drawer: Drawer,
    places: list[Site],
    chance: random.Random,
) -> list[object]:
    replaced, transferring = places[-1], asyncio.Event()

    async def progress(step: Step, done: int, total: int) -> None:
        if step is Step.TRANSFERRING:
            transferring.set()

    async def ask(site: Site) -> object:
        who = Execution(site.handle.execution, site.handle.task, site.handle.session)
        try:
            came = await deliver(who, "backend", progress)
        except asyncio.CancelledError:
            return "cancelled"
        return came.failure() if failed(came) else came.unwrap()

    calls = [asyncio.create_task(ask(places[each % SESSIONS])) for each in range(CALLS)]
    statuses: set[str] = set()
    await asyncio.wait_for(drawer.reached.wait(), 20)
    for call in chance.sample(calls, 5):
        call.cancel()
    drawer.go.set()
    await asyncio.wait_for(transferring.wait(), 20)
    for call in chance.sample(calls, 10):
        call.cancel()
    async with plane.store.write() as unit:
        session = await unit.session(replaced.handle.session)
        assert session is not None
        await unit.save_session(replace(session, execution=ExecutionId("a-successor")))
    while not all(call.done() for call in calls):
        statuses |= {each.git_status() for each in places}
        await asyncio.wait(calls, timeout=0.5)
    assert statuses <= {""}
    return [call.result() for call in calls if not call.cancelled()]
