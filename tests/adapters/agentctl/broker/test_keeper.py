"""The control plane and a real agentctl: started, found again, trusted only with the key."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest

from adapters.agentctl import process, process_stat
from adapters.agentctl.keeper import AgentctlKeeper, Launching
from adapters.agentctl.relay_client import RelayClient
from adapters.agentctl.runtime import AgentctlRuntime
from adapters.secrets.keyring import KEY_BYTES, Keyring
from adapters.secrets.vault import AesVault
from adapters.sqlite.store import open_store
from domain.agent import Agent
from domain.environment import Layer
from domain.event import ExecutionEvent
from domain.execution import ExecutorType, Handle
from domain.identity import ExecutionId, RepositoryId, SessionId, TaskId
from domain.managed_git import ManagedHost
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.agentctl_record import AgentctlRecord
from ports.runtime import EventsBeyondError, LaunchSpec, LeaseGrant, ManagedAccess, RuntimeCode
from ports.store import Store
from ports.vault import SecretPlace
from tests.adapters.agentctl.broker.conftest import run
from tests.eventually import eventually
from tests.fakes.clock import ManualClock
from tests.fakes.credentials import FakeCredentials
from tests.fakes.ids import CountingIds
from tests.fakes.tools import FakeTools
from tests.git_oracle import isolated
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AGENT = Path(__file__).parents[3] / "agents" / "minimal.py"
PLACE = SecretPlace(id="agentctl", owner="installation", scope="key")


@dataclass
class Plane:
    """An installation on a home of its own; every agentctl in it is gone when the test ends."""

    home: Path
    runtime: Path
    store: Store
    vault: AesVault
    ids: CountingIds
    credentials: FakeCredentials

    @asynccontextmanager
    async def keeper(self, *, owned: bool = False, **host: str) -> AsyncIterator[AgentctlKeeper]:
        """A control plane's hold of agentctl, as long as it runs."""
        command = [sys.executable, "-I", "-m", "composition.agentctl"]
        command += ["--home", str(self.home), "--runtime", str(self.runtime)]
        command += ["--owned"] * owned
        environment = {**isolated(self.home), **host}
        launching = Launching(command, environment, self.home / "log", owned)
        relay = RelayClient(self.credentials, self._known, self._created, FakeTools())
        async with AgentctlKeeper(self.store, self.vault, self.ids, relay, launching) as keeper:
            yield keeper

    async def record(self) -> AgentctlRecord:
        async with self.store.read() as state:
            record = await state.agentctl()
        assert record is not None
        return record

    async def running(self) -> bool:
        record = await self.record()
        return process_stat.is_running(record.pid, record.started)

    async def _known(self) -> Sequence[Secret]:
        return ()

    async def _created(self, _: ExecutionId) -> bool:
        return True


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncIterator[Plane]:
    with TemporaryDirectory(prefix="kd") as short:
        home, runtime = tmp_path / "a home", Path(short) / "run"
        for directory in (home, runtime):
            directory.mkdir(mode=0o700)
        ids = CountingIds(uuid4().hex)
        vault = AesVault(Keyring([ids.random(KEY_BYTES)]), ids)
        async with open_store(
            tmp_path / "kandev.db", backups=tmp_path / "b", version="1", clock=ManualClock()
        ) as store:
            made = Plane(home, runtime, store, vault, ids, FakeCredentials())
            yield made
            async with made.keeper() as keeper:
                await keeper.end()


@requirement("broker:keeper:found")
async def test_agentctl_is_started_when_it_is_needed_and_found_again(plane: Plane) -> None:
    async with plane.keeper() as keeper:
        assert (keeper.present(), keeper.gone()) == (None, True)
        first, second = await asyncio.gather(keeper.ensure(), keeper.ensure())
        assert first.unwrap() is second.unwrap() is keeper.present()
        record = await plane.record()

    async with plane.keeper() as keeper:
        assert keeper.present() is not None
        assert not keeper.gone()
        (await keeper.ensure()).unwrap()

        assert await plane.record() == record
        assert await plane.running()


@requirement("broker:keeper:ends")
async def test_it_outlives_the_control_plane_unless_it_is_told_to_end(plane: Plane) -> None:
    async with plane.keeper() as keeper:
        await keeper.ensure()
    assert await plane.running()

    async with plane.keeper() as keeper:
        await keeper.end()
        assert keeper.present() is None
    assert not await plane.running()
    assert list(plane.runtime.iterdir()) == []
    assert list((plane.home / "tools").iterdir()) == []


@requirement("broker:process:owned")
async def test_an_owned_one_ends_with_the_control_plane(plane: Plane) -> None:
    async with plane.keeper(owned=True) as keeper:
        await keeper.ensure()
        assert await plane.running()

    assert not await plane.running()


@requirement("broker:keeper:found")
async def test_one_that_was_killed_is_replaced_when_it_is_needed(plane: Plane) -> None:
    async with plane.keeper() as keeper:
        await keeper.ensure()
        killed = await plane.record()
        os.kill(killed.pid, signal.SIGKILL)
        await eventually(keeper.gone)
        (await keeper.ensure()).unwrap()

        assert await plane.record() != killed
        assert await plane.running()


@requirement("broker:keeper:key")
async def test_a_process_that_does_not_know_the_key_is_not_spoken_to(plane: Plane) -> None:
    async with plane.keeper() as keeper:
        await keeper.ensure()
        first = await plane.record()
    async with plane.store.write() as unit:
        other = plane.vault.seal(PLACE, Secret("00" * 32))
        await unit.put_agentctl(replace(first, sealed_key=other))

    async with plane.keeper() as keeper:
        assert keeper.present() is None
        (await keeper.ensure()).unwrap()
        assert (await plane.record()).pid != first.pid
    await process.end(first.pid, first.started, None)


@requirement("broker:keeper:key")
async def test_a_key_of_another_installation_opens_nothing(plane: Plane) -> None:
    async with plane.keeper() as keeper:
        await keeper.ensure()
    record = await plane.record()
    async with plane.store.write() as unit:
        await unit.put_agentctl(replace(record, sealed_key=b"sealed elsewhere"))

    async with plane.keeper() as keeper:
        assert keeper.present() is None
    await process.end(record.pid, record.started, None)


@requirement("broker:process:start")
async def test_what_cannot_be_started_is_said(plane: Plane) -> None:
    plane.runtime.chmod(0o755)
    async with plane.keeper() as keeper:
        refused = (await keeper.ensure()).failure()

    assert refused.code is RuntimeCode.UNREACHABLE
    assert str(plane.home / "log") in refused.detail
    assert "others may use this directory" in (plane.home / "log").read_text("utf-8")


def _spec(plane: Plane, managed: ManagedAccess | None = None, *options: str) -> LaunchSpec:
    name = uuid4().hex
    return LaunchSpec(
        handle=Handle(ExecutionId(name), TaskId("t1"), SessionId("s1")),
        agent=Agent("minimal", "Minimal", ("minimal", "-I", str(AGENT), *options), ""),
        program=sys.executable,
        executor=ExecutorType.WORKTREE,
        workspace=str(plane.home / "task"),
        checkouts=(),
        layers=(Layer("request", {"WANTED": "yes"}),),
        managed=managed,
        removes=frozenset(),
        acp_session=None,
    )


async def _turn(runtime: AgentctlRuntime, handle: Handle, text: str) -> list[ExecutionEvent]:
    """The events of the turn, and of what came before."""
    (await runtime.prompt(handle, 1, text)).unwrap()
    seen: list[ExecutionEvent] = []
    events = runtime.events(handle, 0)
    async with asyncio.timeout(20):
        async for batch in events:
            seen.extend(batch)
            if any(event.kind.value == "complete" for event in batch):
                break
    await events.aclose()  # type: ignore[attr-defined]  # an async generator
    return seen


async def _drain(events: AsyncIterator[Sequence[ExecutionEvent]]) -> None:
    async with asyncio.timeout(20):
        async for _ in events:
            pass


def _said(events: Sequence[ExecutionEvent]) -> list[object]:
    return [event.body["text"] for event in events if event.kind.value == "message_chunk"]


@requirement("broker:runtime:life")
async def test_an_agent_lives_behind_the_runtime(plane: Plane) -> None:
    async with plane.keeper(KANDEV_API_TOKEN="kdt_secret", KANDEV_HOME="/x") as keeper:
        runtime = AgentctlRuntime(keeper)
        spec = _spec(plane)
        launched = (await runtime.launch(spec)).unwrap()
        words = "env:WANTED env:KANDEV_API_TOKEN env:KANDEV_HOME"
        events = await _turn(runtime, spec.handle, words)
        listed = (await runtime.instances()).unwrap()
        described = (await runtime.git_configuration(spec.handle)).unwrap()
        await runtime.acknowledge(spec.handle, 1)
        (await runtime.stop(spec.handle)).unwrap()
        rest = [event async for batch in runtime.events(spec.handle, 1) for event in batch]
        await runtime.release(spec.handle)
        await runtime.release(spec.handle)

        assert (launched.acp_session, launched.resumed) == ("s1", False)
        assert "".join(map(str, _said(events))) == "yesunsetunset"
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        assert [(each.handle, each.alive) for each in listed] == [(spec.handle, True)]
        assert "WANTED" in {variable.name for variable in described.variables}
        assert rest[-1].kind.value == "exited"
        assert (await runtime.instances()).unwrap() == []


@requirement("broker:runtime:refusals")
async def test_refusals_have_the_runtimes_codes(plane: Plane) -> None:
    async with plane.keeper() as keeper:
        runtime = AgentctlRuntime(keeper)
        spec = _spec(plane)
        other = replace(spec.handle, session=SessionId("s2"))
        absent = (await runtime.prompt(spec.handle, 1, "x")).failure()
        died = (await runtime.launch(_spec(plane, None, "initialize=die"))).failure()
        (await runtime.launch(spec)).unwrap()
        again = (await runtime.launch(spec)).failure()
        wrong = (await runtime.cancel(other)).failure()
        unasked = (await runtime.answer(spec.handle, "per mission", "x")).failure()
        elsewhere = (await runtime.answer(spec.handle, "../cancel", "x")).failure()
        nothing = [batch async for batch in runtime.events(other, 0)]
        with pytest.raises(EventsBeyondError):
            await anext(runtime.events(spec.handle, 1_000_000))

        assert absent.code is RuntimeCode.NO_INSTANCE
        assert (died.code, "no config" in died.stderr) == (RuntimeCode.AGENT_DIED, True)
        assert again.code is RuntimeCode.EXISTS
        assert wrong.code is RuntimeCode.NO_INSTANCE
        assert unasked.code is RuntimeCode.NO_PERMISSION
        assert elsewhere.code is RuntimeCode.INVALID
        assert nothing == []


@requirement("broker:runtime:refusals")
async def test_an_agentctl_that_goes_away_is_an_error_of_the_connection(plane: Plane) -> None:
    async with plane.keeper() as keeper:
        runtime = AgentctlRuntime(keeper)
        spec = _spec(plane)
        (await runtime.launch(spec)).unwrap()
        events = runtime.events(spec.handle, 0)
        await anext(events)
        os.kill((await plane.record()).pid, signal.SIGKILL)

        with pytest.raises(ConnectionError):
            await _drain(events)
        assert (await runtime.stop(spec.handle)).failure().code is RuntimeCode.UNREACHABLE
        with pytest.raises(ConnectionError):
            await anext(runtime.events(spec.handle, 0))
        # The next one ends what the agent of the killed one left running.
        (await keeper.ensure()).unwrap()


@requirement("broker:relay:restart")
async def test_git_beside_the_agent_is_served_through_a_restart_of_the_control_plane(
    plane: Plane,
) -> None:
    grant = LeaseGrant(
        RepositoryId("r1"),
        RepositoryIdentity("forge.example", "/a/b"),
        Secret("kdl_a"),
        Secret("kdc_a"),
    )
    spec = _spec(plane, ManagedAccess((ManagedHost("forge.example"),), (grant,)))
    names = ["PATH", "KANDEV_BROKER_SOCKET", "KANDEV_TOOLS_DIR", "GIT_CONFIG_COUNT"]
    indexed = [f"GIT_CONFIG_{part}_{n}" for n in range(4) for part in ("KEY", "VALUE")]
    async with plane.keeper() as keeper:
        runtime = AgentctlRuntime(keeper)
        (await runtime.launch(spec)).unwrap()
        words = " ".join(f"env:{name} say:;" for name in (*names, *indexed))
        said = "".join(map(str, _said(await _turn(runtime, spec.handle, words)))).split(";")
        environment = {"HOME": str(plane.home), **dict(zip((*names, *indexed), said, strict=False))}
        git = shutil.which("git")
        assert git is not None
        fill = [git, "credential", "fill"]
        question = "url=https://forge.example/a/b.git\n\n"
        served = await run(fill, environment, question)
        which = await run(["/bin/sh", "-c", "command -v gh agentctl"], environment)

    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(run(fill, environment, question))
        async with plane.keeper():
            waited = await waiting

    assert "username=u\npassword=s3cret\n" in served.stdout
    assert waited == served
    assert {Path(line).parent for line in which.stdout.splitlines()} == {Path(said[2])}
    assert {request.execution for request in plane.credentials.asked} == {spec.handle.execution}
