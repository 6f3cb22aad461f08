"""The relay: agentctl's end behind a real server, the control plane's end as it is."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest
from structlog.testing import capture_logs

from adapters.agentctl.server.relay import Unanswered
from adapters.agentctl.wire import (
    SUPERSEDED,
    AskRefused,
    CredentialAnswer,
    Frame,
)
from domain.broker_bounds import BrokerBounds
from domain.identity import ExecutionId
from domain.lease import Refusal
from domain.peer import Descent, Peer
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.credentials import CredentialRequest, GitCredential
from tests.adapters.agentctl.broker.line import ASK, OURS, Line, line_of
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

ANSWER = CredentialAnswer("u", "s3cret", None)


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    async with line_of(BrokerBounds(restart=20.0)) as opened:
        yield opened


@requirement("broker:relay:answer")
async def test_a_question_is_answered_by_the_control_plane(line: Line) -> None:
    plane = line.connect()

    answered = await line.relay.credential(OURS, ASK)
    plane.cancel()

    assert answered == ANSWER
    assert line.headers == ["Bearer session"]
    assert line.credentials.asked == [
        CredentialRequest(
            OURS,
            RepositoryIdentity("forge.example", "/a/b"),
            Secret("kdl_a"),
            Secret("kdc_a"),
            "get",
            Peer(42, Descent.INSIDE),
        )
    ]


@requirement("broker:relay:answer")
async def test_expiry_and_a_new_lease_come_with_the_answer(line: Line) -> None:
    plane = line.connect()
    line.credentials.given = GitCredential("u", Secret("p"), 17, Secret("kdl_b"))

    answered = await line.relay.credential(OURS, ASK)
    plane.cancel()

    assert answered == CredentialAnswer("u", "p", 17, "kdl_b")


@requirement("broker:relay:answer")
@pytest.mark.parametrize("code", list(Refusal))
async def test_a_refusal_has_its_code(line: Line, code: Refusal) -> None:
    plane = line.connect()
    line.credentials.given = code

    refused = await line.ask()
    with capture_logs() as logs:
        given = await line.relay.credential(OURS, ASK)
    plane.cancel()

    assert refused.failure() == AskRefused(code.value)
    assert given is None
    assert {"code": code.value, "execution": OURS} in [
        {"code": entry["code"], "execution": entry["execution"]} for entry in logs
    ]


@requirement("broker:relay:created")
async def test_an_execution_that_the_control_plane_did_not_make_is_denied(line: Line) -> None:
    plane = line.connect()

    refused = await line.ask(ExecutionId("e2"))
    plane.cancel()

    assert refused.failure() == AskRefused("lease_denied")
    assert line.credentials.asked == []


@requirement("broker:relay:restart")
async def test_a_question_waits_for_a_control_plane_to_come(line: Line) -> None:
    asking = line.group.create_task(line.relay.credential(OURS, ASK))
    await asyncio.sleep(0)
    plane = line.connect()

    assert await asking == ANSWER
    plane.cancel()


@requirement("broker:relay:restart")
async def test_a_question_that_was_under_way_is_asked_again_of_the_next(line: Line) -> None:
    line.credentials.open.clear()
    first = line.connect()
    asking = line.group.create_task(line.relay.credential(OURS, ASK))
    await eventually(lambda: len(line.credentials.asked) == 1)
    first.cancel()
    await eventually(lambda: line.credentials.given_up == 1)
    line.credentials.open.set()
    second = line.connect(2)

    assert await asking == ANSWER
    assert len(line.credentials.asked) == 2
    second.cancel()


@requirement("broker:relay:restart")
async def test_a_question_that_nobody_answers_ends_in_time() -> None:
    async with line_of(BrokerBounds(restart=0.05)) as line:
        assert (await line.ask()).failure() == Unanswered()
        plane = line.connect()
        line.credentials.open.clear()
        assert (await line.ask()).failure() == Unanswered()
        plane.cancel()


@requirement("broker:relay:cancel")
async def test_a_question_that_is_given_up_is_given_up_at_the_other_end(line: Line) -> None:
    plane = line.connect()
    line.credentials.open.clear()
    asking = line.group.create_task(line.relay.credential(OURS, ASK))
    await eventually(lambda: len(line.credentials.asked) == 1)
    asking.cancel()
    await eventually(lambda: line.credentials.given_up == 1)

    line.credentials.open.set()
    assert await line.relay.credential(OURS, ASK) == ANSWER
    plane.cancel()


@requirement("broker:relay:epoch")
async def test_the_highest_epoch_holds_the_relay(line: Line) -> None:
    async with asyncio.timeout(20), line.bare(5) as earlier, line.bare(6) as later:
        await earlier.wait_closed()
        async with line.bare(5) as late:
            await late.wait_closed()
        asking = line.group.create_task(line.ask())
        asked = msgspec.json.decode(await later.recv(), type=Frame)
        await later.send(msgspec.json.encode(Frame(asked.id, "answer", "", msgspec.Raw(b"1"))))

        assert (earlier.close_code, late.close_code) == (SUPERSEDED, SUPERSEDED)
        assert bytes((await asking).unwrap()) == b"1"


@requirement("broker:relay:epoch")
async def test_a_control_plane_that_was_superseded_does_not_come_back(line: Line) -> None:
    earlier = line.connect(1)
    assert await line.relay.credential(OURS, ASK) == ANSWER
    later = line.connect(2)

    async with asyncio.timeout(20):
        await earlier
    assert await line.relay.credential(OURS, ASK) == ANSWER
    later.cancel()


@requirement("broker:relay:epoch")
async def test_the_same_control_plane_may_come_again(line: Line) -> None:
    async with asyncio.timeout(20), line.bare(5) as earlier, line.bare(5) as again:
        await earlier.wait_closed()
        line.group.create_task(line.ask()).cancel()
        asking = line.group.create_task(line.ask())
        asked = msgspec.json.decode(await again.recv(), type=Frame)
        await again.send(msgspec.json.encode(Frame(asked.id, "refused", "", msgspec.Raw(b"{}"))))

        assert (await asking).failure() == Unanswered()


@requirement("broker:redaction")
async def test_the_secrets_of_connections_are_told_at_attach(line: Line) -> None:
    line.secrets = [Secret("forge token"), Secret("other")]
    plane = line.connect()
    await eventually(lambda: line.redactor.registered == {"forge token", "other"})
    plane.cancel()


async def test_a_question_that_breaks_the_control_plane_breaks_only_itself(line: Line) -> None:
    plane = line.connect()
    line.credentials.fails = True
    with capture_logs() as logs:
        refused = await line.ask()
    line.credentials.fails = False

    assert refused.failure() == AskRefused("lease_unavailable")
    assert [entry["event"] for entry in logs] == ["relay_failed"]
    assert await line.relay.credential(OURS, ASK) == ANSWER
    plane.cancel()


@pytest.mark.parametrize("kind", ["credential", "coffee"])
async def test_a_question_that_is_not_understood_is_refused(line: Line, kind: str) -> None:
    plane = line.connect()
    refused = await line.relay.ask(kind, OURS, b'{"operation":1}')
    plane.cancel()

    assert isinstance(refused.failure(), AskRefused)


@pytest.mark.parametrize("nonsense", ["", "{", '{"id":1}', "[]"])
async def test_nonsense_ends_a_connection_and_the_next_one_is_served(
    line: Line, nonsense: str
) -> None:
    async with asyncio.timeout(20), line.bare() as connection:
        await connection.send(nonsense.encode())
        await connection.wait_closed()
    plane = line.connect()

    assert await line.relay.credential(OURS, ASK) == ANSWER
    plane.cancel()


@requirement("broker:relay:bounds")
async def test_questions_over_the_bound_wait_for_their_turn() -> None:
    async with line_of(BrokerBounds(restart=20.0, in_flight=2)) as line:
        plane = line.connect()
        line.credentials.open.clear()
        asking = [line.group.create_task(line.ask()) for _ in range(3)]
        await eventually(lambda: len(line.credentials.asked) == 2)
        line.credentials.open.set()

        assert [bytes((await each).unwrap()) for each in asking]
        assert len(line.credentials.asked) == 3
        plane.cancel()


@requirement("broker:relay:bounds")
async def test_a_hundred_questions_at_once_are_all_answered(line: Line) -> None:
    plane = line.connect()
    answers = await asyncio.gather(*(line.relay.credential(OURS, ASK) for _ in range(100)))
    plane.cancel()

    assert answers == [ANSWER] * 100
