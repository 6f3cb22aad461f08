"""The routes: who may call them, whom they find, how they refuse."""

import json
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx2
import msgspec
import pytest

from adapters.agentctl import proof, wire
from adapters.agentctl.server.app import create_app
from adapters.agentctl.server.presence import Presence
from adapters.agentctl.server.routes import Core
from tests.adapters.agentctl.server.conftest import House
from tests.fakes.clock import ManualClock
from tests.fakes.relay_holder import FakeRelay
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

KEY = b"k" * proof.KEY_BYTES
OURS = {"kandev-task": "t1", "kandev-session": "s1"}


@dataclass
class Door:
    """A client of the application, and what it can see of the inside."""

    client: httpx2.AsyncClient
    house: House
    presence: Presence
    clock: ManualClock

    async def shake_hands(self) -> None:
        nonce = proof.text_of(secrets.token_bytes(proof.NONCE_BYTES))
        answer = await self.client.post("/api/v1/handshake", json={"protocol": 1, "nonce": nonce})
        welcome = msgspec.json.decode(answer.content, type=wire.Welcome)
        assert proof.proves(KEY, nonce, welcome)
        token = proof.session(KEY, nonce, welcome.nonce)
        self.client.headers["authorization"] = f"Bearer {token}"

    @property
    def instance(self) -> str:
        return f"/api/v1/instances/{self.house.execution}"

    async def create(self, *options: str, **members: Any) -> httpx2.Response:
        asked = self.house.asked(*options, **members)
        return await self.client.post("/api/v1/instances", content=msgspec.json.encode(asked))


@pytest.fixture
async def outside(house: House) -> AsyncIterator[Door]:
    clock = ManualClock()
    presence = Presence(clock.monotonic)
    proofs = proof.Proofs(KEY, secrets.token_bytes)
    core = Core(
        house.instances, proofs, FakeRelay(), "9", 77, house.removal, house.bundles, house.git
    )
    app: Any = create_app(core, presence)  # Litestar and httpx2 spell ASGI differently
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://agentctl") as client:
        yield Door(client, house, presence, clock)


@pytest.fixture
async def door(outside: Door) -> Door:
    await outside.shake_hands()
    return outside


@requirement("agentctl:door")
async def test_health_needs_no_proof_and_announces_version_and_capabilities(outside: Door) -> None:
    answer = await outside.client.get("/health")

    health = msgspec.json.decode(answer.content, type=wire.Health)
    assert (health.status, health.protocol, health.version, health.started) == ("ok", 1, "9", 77)
    assert "acp" in health.capabilities


@requirement("agentctl:door")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/instances"),
        ("GET", "/api/v1/instances"),
        ("DELETE", "/api/v1/instances/e1"),
        ("GET", "/api/v1/instances/e1/events"),
    ],
)
@pytest.mark.parametrize("bearer", [None, "Bearer ", "Bearer wrong", "Basic eDp5"])
async def test_nothing_else_answers_without_a_proof(
    outside: Door, method: str, path: str, bearer: str | None
) -> None:
    headers = {} if bearer is None else {"authorization": bearer}

    answer = await outside.client.request(method, path, headers=headers)

    assert answer.status_code == 401
    assert answer.json()["code"] == "agentctl_mismatch"


@requirement("agentctl:door")
async def test_another_version_of_our_protocol_is_a_clear_error(outside: Door) -> None:
    answer = await outside.client.post("/api/v1/handshake", json={"protocol": 2, "nonce": "x"})

    assert (answer.status_code, answer.json()["code"]) == (409, "agentctl_mismatch")
    assert "version 1, not 2" in answer.json()["detail"]


@requirement("agentctl:launch")
@requirement("events:numbered")
async def test_an_instance_from_its_creation_to_its_release(door: Door) -> None:
    created = await door.create()
    instance = door.instance
    listed = await door.client.get("/api/v1/instances")
    prompted = await door.client.post(
        f"{instance}/prompt", json={"generation": 5, "text": "say:hi"}, headers=OURS
    )
    early = await door.client.delete(f"{instance}/log", headers=OURS)
    explained = await door.client.get(f"{instance}/git-configuration", headers=OURS)
    stopped = await door.client.delete(instance, headers=OURS)
    again = await door.client.delete(instance, headers=OURS)
    events = await door.client.get(f"{instance}/events", params={"after": 1}, headers=OURS)
    acknowledged = await door.client.post(f"{instance}/ack", json={"through": 4}, headers=OURS)
    released = await door.client.delete(f"{instance}/log", headers=OURS)
    twice = await door.client.delete(f"{instance}/log", headers=OURS)

    assert (created.status_code, created.json()["acp_session"]) == (201, "s1")
    assert listed.json() == [
        {
            "execution": door.house.execution,
            "task": "t1",
            "session": "s1",
            "alive": True,
            "turn_generation": None,
            "last": 1,
        }
    ]
    assert prompted.status_code == 202
    assert (early.status_code, early.json()["code"]) == (409, "turn_running")
    assert explained.json()["entries"] == []
    assert [stopped.status_code, again.status_code] == [204, 204]
    numbers = [json.loads(line)["n"] for line in events.content.splitlines()]
    assert numbers == list(range(2, 2 + len(numbers)))
    assert json.loads(events.content.splitlines()[-1])["kind"] == "exited"
    assert [acknowledged.status_code, released.status_code, twice.status_code] == [204, 204, 204]
    assert (await door.client.get("/api/v1/instances")).json() == []


@requirement("agentctl:identity")
@pytest.mark.parametrize(
    ("execution", "headers"),
    [
        ("other", OURS),
        (None, OURS | {"kandev-task": "t2"}),
        (None, OURS | {"kandev-session": "s2"}),
    ],
)
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/prompt", {"generation": 1, "text": "x"}),
        ("POST", "/cancel", None),
        ("POST", "/permissions/p1", {"option": None}),
        ("POST", "/ack", {"through": 1}),
        ("GET", "/events", None),
        ("GET", "/git-configuration", None),
        ("POST", "/git/status", None),
        ("DELETE", "", None),
    ],
)
async def test_a_wrong_combination_of_ids_is_like_no_instance(
    door: Door, execution: str | None, headers: dict[str, str], method: str, path: str, body: Any
) -> None:
    await door.create()

    answer = await door.client.request(
        method,
        f"/api/v1/instances/{execution or door.house.execution}{path}",
        headers=headers,
        json=body,
    )

    assert (answer.status_code, answer.json()["code"]) == (404, "no_instance")
    assert len(door.house.instances.all()) == 1


@requirement("agentctl:identity")
@pytest.mark.parametrize("missing", ["kandev-task", "kandev-session"])
async def test_a_call_without_all_ids_is_no_call(door: Door, missing: str) -> None:
    await door.create()
    headers = {name: value for name, value in OURS.items() if name != missing}

    answer = await door.client.post(f"{door.instance}/cancel", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


@requirement("agentctl:launch:refusals")
@pytest.mark.parametrize(
    ("options", "members", "status", "code"),
    [
        ([], {"command": ["/no/agent"]}, 422, "agent_not_installed"),
        (["initialize=die"], {}, 502, "agent_died"),
        (["new=refuse"], {}, 502, "agent_refused"),
        (["version=2"], {}, 502, "agent_protocol"),
        ([], {"executor": "moon"}, 400, "invalid_request"),
    ],
)
async def test_a_refused_launch_has_a_status_and_a_code(
    door: Door, options: list[str], members: dict[str, Any], status: int, code: str
) -> None:
    answer = await door.create(*options, **members)

    assert (answer.status_code, answer.json()["code"]) == (status, code)


@requirement("agentctl:launch:refusals")
@pytest.mark.parametrize("body", [b"", b"{", b'{"execution": 1}', b"[]"])
async def test_a_body_that_is_no_launch_is_refused(door: Door, body: bytes) -> None:
    answer = await door.client.post("/api/v1/instances", content=body)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


@requirement("agentctl:turn:one")
@requirement("agentctl:permission:brokered")
async def test_talking_is_refused_with_a_code(door: Door) -> None:
    await door.create()
    instance = door.instance
    prompt = {"generation": 1, "text": "wait"}
    await door.client.post(f"{instance}/prompt", json=prompt, headers=OURS)

    busy = await door.client.post(f"{instance}/prompt", json=prompt, headers=OURS)
    unasked = await door.client.post(
        f"{instance}/permissions/p1", json={"option": "a"}, headers=OURS
    )

    assert (busy.status_code, busy.json()["code"]) == (409, "turn_running")
    assert (unasked.status_code, unasked.json()["code"]) == (409, "no_such_permission")


@requirement("events:acknowledged")
async def test_events_that_are_gone_are_not_passed_over_in_silence(door: Door) -> None:
    instance = await door.house.launch()
    await instance.stop()
    answer = await door.client.get(f"{door.instance}/events", params={"after": -1}, headers=OURS)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


@requirement("events:beyond")
async def test_who_has_more_events_than_there_are_is_refused_while_the_agent_lives(
    door: Door,
) -> None:
    instance = await door.house.launch()
    beyond = {"after": instance.log.last + 1000}

    alive = await door.client.get(f"{door.instance}/events", params=beyond, headers=OURS)
    await instance.stop()
    over = await door.client.get(f"{door.instance}/events", params=beyond, headers=OURS)

    assert (alive.status_code, alive.json()["code"]) == (416, "events_beyond")
    assert (over.status_code, over.content) == (200, b"")


@requirement("agentctl:alone")
async def test_only_a_proven_request_counts_as_presence(outside: Door) -> None:
    outside.clock.advance(timedelta(seconds=10))
    await outside.client.get("/health")
    await outside.client.get("/api/v1/instances")
    unproven = outside.presence.alone_for

    await outside.shake_hands()
    await outside.client.get("/api/v1/instances")

    assert unproven == 10
    assert outside.presence.alone_for == 0
