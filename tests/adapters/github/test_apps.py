"""Installation tokens from a GitHub on loopback, under a clock that the test moves."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from adapters.github.apps import HttpGithubApps
from domain import github_app
from domain.connection import Connection, Fault, InvalidConnection, Kind, Status
from domain.github_app import (
    MAX_APP_ID,
    MAX_KEY_LENGTH,
    REFRESH_BEFORE,
    AppInstallation,
    AppRegistration,
    api_base,
    check,
    pack,
    unpack,
)
from domain.identity import ConnectionId, WorkspaceId
from domain.outcome import Failure, Success
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.credential_source import NoCredential, SourceFault
from tests.fakes.clock import ManualClock
from tests.fakes.github import APP_ID, INSTALLATION, FakeGithub, pem
from tests.requirements import requirement

REGISTRATION = AppRegistration(
    APP_ID, Secret(pem()), Secret("client-0123456789"), Secret("webhook-0123456789")
)
STORED = pack(REGISTRATION, INSTALLATION)
REFUSED = Failure(NoCredential(SourceFault.REFUSED))
UNREACHABLE = Failure(NoCredential(SourceFault.UNREACHABLE))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def github(tmp_path: Path, clock: ManualClock) -> Iterator[FakeGithub]:
    with FakeGithub(tmp_path, clock.now) as running:
        yield running


@pytest.fixture
def apps(clock: ManualClock) -> HttpGithubApps:
    return HttpGithubApps(clock)


def connection(github: FakeGithub, revision: int = 1) -> Connection:
    return Connection(
        ConnectionId("con"),
        WorkspaceId("ws"),
        github.host,
        Kind.GITHUB_APP,
        "Kandev Bot",
        Status.ACTIVE,
        revision,
        github.authority,
        "acme",
    )


def repository(github: FakeGithub, name: str = "app") -> RepositoryIdentity:
    return RepositoryIdentity(github.host, f"/acme/{name}")


@requirement("connection:app:proof")
@pytest.mark.anyio
async def test_an_app_is_introduced_by_its_proof(apps: HttpGithubApps, github: FakeGithub) -> None:
    introduced = await apps.introduce(REGISTRATION, repository(github), github.authority)

    assert introduced == Success(AppInstallation(INSTALLATION, "Kandev Bot", "acme"))


@requirement("connection:app:proof")
@pytest.mark.anyio
@pytest.mark.parametrize(
    "wrong",
    [
        replace(REGISTRATION, app_id=1),
        replace(REGISTRATION, private_key=Secret(pem(rsa.generate_private_key(65537, 2048)))),
        replace(REGISTRATION, private_key=Secret("-----BEGIN PRIVATE KEY-----\nno\n")),
    ],
    ids=["id", "key", "nonsense"],
)
async def test_a_wrong_proof_is_refused(
    apps: HttpGithubApps, github: FakeGithub, wrong: AppRegistration
) -> None:
    assert await apps.introduce(wrong, repository(github), github.authority) == REFUSED


@requirement("connection:app:token")
@pytest.mark.anyio
async def test_a_token_is_minted_for_one_repository_and_tells_its_expiry(
    apps: HttpGithubApps, github: FakeGithub, clock: ManualClock
) -> None:
    app = (await apps(connection(github), STORED, repository(github))).unwrap()
    other = (await apps(connection(github), STORED, repository(github, "other"))).unwrap()

    assert github.minted == [["app"], ["other"]]
    assert app.secret != other.secret
    assert app.expires == clock.now() + timedelta(hours=1)


@requirement("connection:app:token")
@pytest.mark.anyio
async def test_a_token_is_used_until_five_minutes_before_its_expiry(
    apps: HttpGithubApps, github: FakeGithub, clock: ManualClock
) -> None:
    asked = (connection(github), STORED, repository(github))
    await apps(*asked)
    clock.advance(github.life - REFRESH_BEFORE - timedelta(seconds=1))
    await apps(*asked)
    before = len(github.minted)
    clock.advance(timedelta(seconds=1))
    renewed = (await apps(*asked)).unwrap()

    assert timedelta(minutes=5) == REFRESH_BEFORE
    assert (before, len(github.minted)) == (1, 2)
    assert renewed.secret == Secret(github.token)


@requirement("connection:app:token")
@pytest.mark.anyio
async def test_one_token_is_minted_at_a_time(apps: HttpGithubApps, github: FakeGithub) -> None:
    names = ["app", "app", "app", "other", "other"]
    given = await asyncio.gather(
        *(apps(connection(github), STORED, repository(github, name)) for name in names)
    )

    assert len({each.unwrap().secret for each in given}) == 2
    assert (len(github.minted), github.most_at_once) == (2, 1)


@requirement("connection:app:token")
@pytest.mark.anyio
async def test_another_revision_mints_at_once(apps: HttpGithubApps, github: FakeGithub) -> None:
    await apps(connection(github), STORED, repository(github))
    await apps(connection(github, 2), STORED, repository(github))

    assert len(github.minted) == 2


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("status", "outcome"), [(403, REFUSED), (404, REFUSED), (422, REFUSED), (502, UNREACHABLE)]
)
async def test_what_github_refuses_is_told_apart_from_what_it_cannot_answer(
    apps: HttpGithubApps, github: FakeGithub, status: int, outcome: Failure[NoCredential]
) -> None:
    github.refuse = status

    assert await apps(connection(github), STORED, repository(github)) == outcome


@pytest.mark.anyio
async def test_a_server_that_nobody_vouches_for_is_not_spoken_to(
    apps: HttpGithubApps, github: FakeGithub
) -> None:
    unknown = replace(connection(github), certificate_authority=None)

    assert await apps(unknown, STORED, repository(github)) == UNREACHABLE
    assert github.minted == []


@pytest.mark.anyio
async def test_a_stored_secret_of_another_kind_is_no_app(
    apps: HttpGithubApps, github: FakeGithub
) -> None:
    asked = (connection(github), Secret("just-a-token"), repository(github))

    assert await apps(*asked) == Failure(NoCredential(SourceFault.SEALED))


def test_what_is_packed_is_unpacked() -> None:
    assert unpack(STORED) == (REGISTRATION, INSTALLATION)
    assert unpack(Secret("{}")) is None
    assert unpack(Secret("token")) is None


@pytest.mark.parametrize(
    ("changed", "holds"),
    [
        ({}, True),
        ({"app_id": MAX_APP_ID}, True),
        ({"app_id": MAX_APP_ID + 1}, False),
        ({"app_id": 0}, False),
        ({"private_key": Secret("not a key")}, False),
        ({"private_key": Secret(pem().ljust(MAX_KEY_LENGTH))}, True),
        ({"private_key": Secret(pem().ljust(MAX_KEY_LENGTH + 1))}, False),
    ],
)
def test_an_import_is_held_to_its_bounds(changed: dict[str, object], holds: bool) -> None:
    registration = replace(REGISTRATION, **changed)  # type: ignore[arg-type]  # fields by name

    expected = Success(registration) if holds else Failure(InvalidConnection(Fault.SECRET))
    assert check(registration) == expected


def test_every_value_of_an_import_is_known_to_sinks_and_an_absent_one_is_not() -> None:
    bare = replace(REGISTRATION, webhook_secret=Secret(""))

    assert len(github_app.parts(REGISTRATION)) == 3
    assert [each.reveal() for each in github_app.parts(bare)] == [pem(), "client-0123456789"]


def test_the_api_of_an_enterprise_server_is_below_its_host() -> None:
    assert api_base("github.com") == "https://api.github.com"
    assert api_base("ghe.example:8443") == "https://ghe.example:8443/api/v3"
