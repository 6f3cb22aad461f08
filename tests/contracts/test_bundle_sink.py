"""What a workspace's side of a delivery promises, held to the fake and to agentctl itself.

The real one is asked over its unix socket and over TCP with its token: the same requests.
"""

import asyncio
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from adapters.agentctl.bundle_sink import AgentctlBundleSink
from domain.bundle_delivery import DeliveryBounds
from domain.bundle_path import BundleId
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId
from ports.bundle_sink import BundleSink, Consignment, StageToken
from ports.evidence import EvidenceChanged
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.served import served
from tests.eventually import eventually
from tests.fakes.bundle_sink import FakeBundleSink
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

BUNDLE = BundleId("0123456789abcdef")
PATH = f".kandev/diagnostics/{BUNDLE}.zip"
DATA = bytes(range(256)) * 5000
CAP = 2_000_000


@dataclass
class Case:
    """A sink, an execution that is alive, and what can be seen of its bundles."""

    sink: BundleSink
    handle: Handle
    placed: Callable[[], dict[str, bytes]]
    staged: Callable[[], int]


@asynccontextmanager
async def fake(_: Path) -> AsyncIterator[Case]:
    sink = FakeBundleSink(DeliveryBounds(archive=CAP))
    handle = Handle(ExecutionId("e1"), TaskId("t1"), SessionId("s1"))
    sink.alive.add(handle)

    def placed() -> dict[str, bytes]:
        return {f".kandev/diagnostics/{name}.zip": data for (_, name), data in sink.placed.items()}

    yield Case(sink, handle, placed, lambda: len(sink.stages))


@asynccontextmanager
async def real(home: Path, transport: str) -> AsyncIterator[Case]:
    async with (
        served(home, delivery=DeliveryBounds(archive=CAP)) as agentctl,
        agentctl.keeper(transport) as keeper,
    ):
        instance = await agentctl.house.launch()
        workspace, shelf = agentctl.house.workspace, agentctl.house.bundles

        def placed() -> dict[str, bytes]:
            found = workspace.glob(".kandev/diagnostics/*")
            return {
                str(each.relative_to(workspace)): each.read_bytes()
                for each in found
                if each.name != ".gitignore"
            }

        yield Case(AgentctlBundleSink(keeper), instance.handle, placed, lambda: shelf.staged)


@pytest.fixture(params=["fake", "unix", "tcp"])
async def case(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Case]:
    opened = fake(tmp_path) if request.param == "fake" else real(tmp_path, request.param)
    async with opened as made:
        yield made


def consignment(data: bytes = DATA, crc32: int | None = None) -> Consignment:
    async def chunks() -> AsyncGenerator[bytes, None]:
        for start in range(0, len(data), 100_000):
            yield data[start : start + 100_000]

    return Consignment(BUNDLE, len(data), zlib.crc32(data) if crc32 is None else crc32, chunks)


async def stage(case: Case, given: Consignment) -> StageToken:
    return (await case.sink.stage(case.handle, given)).unwrap()


@requirement("bundle:deliver:transports")
@requirement("bundle:deliver:whole")
async def test_a_bundle_appears_whole_and_only_when_it_is_committed(case: Case) -> None:
    token = await stage(case, consignment())
    before = case.placed()
    delivered = (await case.sink.commit(case.handle, BUNDLE, token)).unwrap()

    assert before == {}
    assert case.placed() == {PATH: DATA}
    assert delivered.path == PATH
    assert delivered.absolute_path.endswith(f"/{PATH}")
    assert case.staged() == 0


@requirement("bundle:deliver:whole")
async def test_an_archive_at_the_bound_fits(case: Case) -> None:
    token = await stage(case, consignment(bytes(CAP)))
    await case.sink.commit(case.handle, BUNDLE, token)

    assert [len(data) for data in case.placed().values()] == [CAP]


@requirement("bundle:deliver:refused")
@pytest.mark.parametrize(
    ("given", "code"),
    [
        (consignment(crc32=zlib.crc32(DATA) ^ 1), RuntimeCode.BUNDLE_TORN),
        (consignment(bytes(CAP + 1)), RuntimeCode.BUNDLE_TOO_LARGE),
    ],
)
async def test_what_is_not_as_announced_or_too_large_leaves_nothing(
    case: Case, given: Consignment, code: RuntimeCode
) -> None:
    refused = (await case.sink.stage(case.handle, given)).failure()

    assert refused.code is code
    assert (case.placed(), case.staged()) == ({}, 0)


@requirement("bundle:deliver:replaces-nothing")
async def test_the_same_bundle_may_come_again_but_no_other_under_its_name(case: Case) -> None:
    codes: list[RuntimeCode | None] = []
    for data in (DATA, DATA, DATA[:-1]):
        token = await stage(case, consignment(data))
        committed = await case.sink.commit(case.handle, BUNDLE, token)
        codes.append(committed.swap().map(lambda problem: problem.code).value_or(None))

    assert codes == [None, None, RuntimeCode.DESTINATION_UNSAFE]
    assert case.placed() == {PATH: DATA}


@requirement("bundle:deliver:identity")
async def test_a_stage_is_of_use_to_its_own_execution_alone(case: Case) -> None:
    token = await stage(case, consignment())
    others = [
        replace(case.handle, execution=ExecutionId("other")),
        replace(case.handle, task=TaskId("other")),
        replace(case.handle, session=SessionId("other")),
    ]
    refused = [(await case.sink.stage(each, consignment())).failure().code for each in others]
    refused += [(await case.sink.commit(each, BUNDLE, token)).failure().code for each in others]
    another = await case.sink.commit(case.handle, BundleId("f" * 32), token)

    assert set(refused) == {RuntimeCode.NO_INSTANCE}
    assert another.failure().code is RuntimeCode.NO_STAGE
    assert case.placed() == {}


@requirement("bundle:deliver:discard")
async def test_a_stage_that_was_discarded_cannot_be_committed(case: Case) -> None:
    token = await stage(case, consignment())
    for _ in range(2):
        await case.sink.discard(case.handle, BUNDLE, token)
    committed = await case.sink.commit(case.handle, BUNDLE, token)

    assert committed.failure().code is RuntimeCode.NO_STAGE
    assert (case.placed(), case.staged()) == ({}, 0)


@requirement("bundle:deliver:discard")
async def test_a_bundle_that_cannot_be_read_to_its_end_leaves_nothing(case: Case) -> None:
    async def chunks() -> AsyncGenerator[bytes, None]:
        yield DATA[:1000]
        raise EvidenceChanged

    with pytest.raises(EvidenceChanged):
        await case.sink.stage(case.handle, replace(consignment(), chunks=chunks))
    await _nothing_is_left(case)


@requirement("bundle:deliver:discard")
async def test_a_caller_that_leaves_takes_its_stage_with_it(case: Case) -> None:
    halfway, forever = asyncio.Event(), asyncio.Event()
    closed: list[str] = []

    async def chunks() -> AsyncGenerator[bytes, None]:
        try:
            yield DATA[: len(DATA) // 2]
            halfway.set()
            await forever.wait()
        finally:
            closed.append("source")

    staging = asyncio.create_task(
        case.sink.stage(case.handle, replace(consignment(), chunks=chunks))
    )
    await asyncio.wait_for(halfway.wait(), 20)
    staging.cancel()
    await asyncio.wait({staging})

    assert staging.cancelled()
    assert closed == ["source"]
    await _nothing_is_left(case)


async def _nothing_is_left(case: Case) -> None:
    await eventually(lambda: case.staged() == 0)
    assert case.placed() == {}
