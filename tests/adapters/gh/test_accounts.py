"""Named accounts of a `gh` that is a script, under a clock that the test moves."""

import asyncio
import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.gh.accounts import KEPT_SECONDS, MAX_ACCOUNTS, GhAccounts
from adapters.process.spawn import LocalProcesses
from domain.connection import Connection, Kind, Status
from domain.identity import ConnectionId, WorkspaceId
from domain.outcome import Failure
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from ports.credential_source import NoCredential, SourcedCredential, SourceFault
from tests.fakes.clock import ManualClock
from tests.fakes.gh import FakeGh
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

APP = RepositoryIdentity("github.com", "/acme/app")
ALICE = Connection(
    ConnectionId("con"), WorkspaceId("ws"), "github.com", Kind.GH_CLI, "alice", Status.ACTIVE, 1
)


@pytest.fixture
def gh(tmp_path: Path) -> FakeGh:
    made = FakeGh(tmp_path / "bin")
    made.sign_in("github.com", "alice", "gho_alice-0123456789")
    made.sign_in("github.com", "bob", "gho_bob-0123456789")
    made.sign_in("ghe.example", "alice", "gho_enterprise-0123456789")
    return made


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def accounts(gh: FakeGh, clock: ManualClock) -> GhAccounts:
    environment = {"PATH": f"{gh.directory}:{os.defpath}", "GH_TOKEN": "ambient"}
    return GhAccounts(LocalProcesses(None), clock, environment)


@requirement("connection:gh:exact")
@requirement("connection:gh:no-expiry")
@pytest.mark.parametrize(
    ("host", "login", "token"),
    [
        ("github.com", "alice", "gho_alice-0123456789"),
        ("github.com", "bob", "gho_bob-0123456789"),
        ("ghe.example", "alice", "gho_enterprise-0123456789"),
    ],
)
async def test_the_account_of_exactly_this_host_and_login_answers(
    accounts: GhAccounts, gh: FakeGh, host: str, login: str, token: str
) -> None:
    given = await accounts(replace(ALICE, host=host, login=login), None, APP)

    assert given.unwrap() == SourcedCredential(Secret(token), None)
    assert gh.calls == [f"auth token --hostname {host} --user {login}"]


@requirement("connection:gh:cache")
async def test_a_token_is_used_for_five_minutes_and_not_a_second_longer(
    accounts: GhAccounts, gh: FakeGh, clock: ManualClock
) -> None:
    await accounts(ALICE, None, APP)
    clock.advance(timedelta(minutes=4, seconds=59))
    await accounts(ALICE, None, APP)
    before = len(gh.calls)
    clock.advance(timedelta(seconds=1))
    await accounts(ALICE, None, APP)

    assert timedelta(seconds=KEPT_SECONDS) == timedelta(minutes=5)
    assert (before, len(gh.calls)) == (1, 2)


@requirement("connection:gh:cache")
async def test_another_revision_asks_at_once(accounts: GhAccounts, gh: FakeGh) -> None:
    await accounts(ALICE, None, APP)
    await accounts(replace(ALICE, revision=2), None, APP)
    gh.sign_in("github.com", "alice", "gho_renewed-0123456789")
    again = await accounts(replace(ALICE, revision=3, login="alice"), None, APP)

    assert len(gh.calls) == 3
    assert again.unwrap().secret == Secret("gho_renewed-0123456789")


@requirement("connection:gh:cache")
async def test_those_who_ask_at_once_have_it_asked_once(accounts: GhAccounts, gh: FakeGh) -> None:
    given = await asyncio.gather(*(accounts(ALICE, None, APP) for _ in range(5)))

    assert {each.unwrap().secret.reveal() for each in given} == {"gho_alice-0123456789"}
    assert len(gh.calls) == 1


async def test_an_account_that_is_signed_out_is_not_remembered(
    accounts: GhAccounts, gh: FakeGh
) -> None:
    carol = replace(ALICE, login="carol")
    missing = await accounts(carol, None, APP)
    gh.sign_in("github.com", "carol", "gho_carol-0123456789")
    found = await accounts(carol, None, APP)

    assert missing == Failure(NoCredential(SourceFault.SIGNED_OUT, "carol at github.com"))
    assert found.unwrap().secret == Secret("gho_carol-0123456789")


async def test_what_is_no_token_is_refused(accounts: GhAccounts, gh: FakeGh) -> None:
    gh.sign_in("github.com", "alice", "two\nlines")

    refused = NoCredential(SourceFault.SIGNED_OUT, "alice at github.com")
    assert await accounts(ALICE, None, APP) == Failure(refused)


async def test_a_machine_without_gh_says_so(clock: ManualClock, tmp_path: Path) -> None:
    accounts = GhAccounts(LocalProcesses(None), clock, {"PATH": str(tmp_path)})

    assert await accounts(ALICE, None, APP) == Failure(NoCredential(SourceFault.TOOL_MISSING))


async def test_only_so_many_tokens_are_kept(accounts: GhAccounts, gh: FakeGh) -> None:
    await accounts(ALICE, None, APP)
    for number in range(MAX_ACCOUNTS - 1):
        accounts._account(ConnectionId(f"other{number}"))
    await accounts(ALICE, None, APP)
    at_the_bound = len(gh.calls)
    for number in range(MAX_ACCOUNTS):
        accounts._account(ConnectionId(f"more{number}"))
    await accounts(ALICE, None, APP)

    assert (at_the_bound, len(gh.calls)) == (1, 2)
