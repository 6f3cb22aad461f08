"""Sealing what is stored with the newest key."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.secrets.keyring import KEY_BYTES, Keyring
from adapters.secrets.vault import AesVault
from adapters.sqlite.store import open_store
from domain.connection import Connection
from domain.execution import ExecutorType
from domain.identity import ConnectionId, ProfileId
from domain.outcome import Failure, Success, failed
from domain.profile import ExecutorChoice, Profile
from domain.secret import Secret
from domain.stored_environment import ChosenEnvironment, StoredEnvironment
from pipelines import reseal_secrets
from pipelines.environment_secrets import (
    EnvironmentSecrets,
    layer_of_profile,
    layer_of_repository,
)
from pipelines.reseal_secrets import RESEALED_AT_ONCE, ResealSecrets
from ports.agentctl_record import AgentctlRecord
from ports.store import Store
from ports.vault import AGENTCTL_KEY, Unsealable, connection_place
from tests.contracts.store_examples import NOW, Example, stored
from tests.fakes.clock import ManualClock
from tests.fakes.ids import CountingIds
from tests.fakes.redactor import ListingRedactor
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

EXAMPLE = Example()
OLD, NEW = (CountingIds(name).random(KEY_BYTES) for name in ("old", "new"))
SECRETS = {f"con_{number}": Secret(f"secret {number}") for number in range(5)}


def vault(*masters: bytes) -> AesVault:
    return AesVault(Keyring(masters), CountingIds(str(len(masters))))


def connection(name: str) -> Connection:
    return replace(EXAMPLE.connection, id=ConnectionId(name), host=f"{name}.example")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[Store]:
    """Five connections and agentctl's key, sealed with the old key."""
    async with open_store(
        tmp_path / "kandev.db", backups=tmp_path, version="1", clock=ManualClock(NOW)
    ) as opened:
        await stored(opened, EXAMPLE)
        async with opened.write() as unit:
            await unit.remove_connection(EXAMPLE.connection.id)
            for name, secret in SECRETS.items():
                place = connection_place(ConnectionId(name), EXAMPLE.workspace.id)
                await unit.put_connection(connection(name), vault(OLD).seal(place, secret))
            sealed = vault(OLD).seal(AGENTCTL_KEY, Secret("key"))
            await unit.put_agentctl(AgentctlRecord("/a.sock", 1, 1, sealed))
        yield opened


async def opened_with(store: Store, *masters: bytes) -> dict[str, Secret]:
    """Every secret that these keys open where it is."""
    async with store.read() as state:
        sealed = await state.sealed_otherwise(b"none", 99)
    attempts = {value.place.id: vault(*masters).open(*value) for value in sealed}
    return {key: each.unwrap() for key, each in attempts.items() if each.value_or(None)}


ALL = {**SECRETS, AGENTCTL_KEY.id: Secret("key")}


@requirement("secrets:rotate")
@pytest.mark.parametrize("batch", [1, 2, 6, 7, RESEALED_AT_ONCE])
async def test_everything_is_sealed_with_the_newest_key_whatever_a_batch_holds(
    store: Store, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(reseal_secrets, "RESEALED_AT_ONCE", batch)
    reseal = ResealSecrets(store, vault(NEW, OLD))
    assert not await reseal.is_done()

    assert await reseal() == Success(len(ALL))

    assert await reseal.is_done()
    assert await opened_with(store, NEW) == ALL
    assert await opened_with(store, OLD) == {}


@requirement("secrets:rotate:safe")
async def test_one_that_was_interrupted_goes_on_where_it_ended(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reseal_secrets, "RESEALED_AT_ONCE", 4)
    reseal = ResealSecrets(store, vault(NEW, OLD))
    await reseal._batch()
    assert len(await opened_with(store, NEW)) == 4
    assert await opened_with(store, NEW, OLD) == ALL

    assert await reseal() == Success(2)
    assert await reseal() == Success(0)


async def test_one_that_does_not_open_is_named_and_left(store: Store) -> None:
    damaged = connection_place(ConnectionId("con_3"), EXAMPLE.workspace.id)
    sealed = vault(OLD).seal(AGENTCTL_KEY, Secret("of another place"))
    async with store.write() as unit:
        await unit.put_connection(connection("con_3"), sealed)

    outcome = await ResealSecrets(store, vault(NEW, OLD))()

    assert outcome == Failure(Unsealable(damaged))
    async with store.read() as state:
        assert await state.connection_secret(ConnectionId("con_3")) == sealed


@requirement("secrets:rotate")
async def test_the_secrets_of_profiles_and_repositories_are_sealed_anew_where_they_are(
    store: Store,
) -> None:
    value = Secret("kept-out-of-sight")
    profile = Profile(
        ProfileId("pro"),
        EXAMPLE.workspace.id,
        "Here",
        ExecutorChoice(ExecutorType.LOCAL),
        StoredEnvironment(),
        NOW,
    )
    owners = (layer_of_profile(profile), layer_of_repository(EXAMPLE.repository))
    chosen = ChosenEnvironment({"PLAIN": "1"}, {"KEY": value, "OTHER": value})
    old, new = (EnvironmentSecrets(vault(key), ListingRedactor()) for key in (OLD, NEW))
    sealed = [old.seal(owner, chosen, StoredEnvironment()) for owner in owners]
    absent = StoredEnvironment({}, {"LATER": None})
    async with store.write() as unit:
        await unit.add_profile(replace(profile, environment=sealed[0]))
        await unit.add_profile(replace(profile, id=ProfileId("b"), name="B", environment=absent))
        await unit.put_repository_environment(EXAMPLE.repository.id, sealed[1])

    assert await ResealSecrets(store, vault(NEW, OLD))() == Success(len(ALL) + 4)

    async with store.read() as state:
        found = await state.profile(profile.id)
        stored = await state.repository_environment(EXAMPLE.repository.id)
    assert found is not None
    for owner, environment in zip(owners, (found.environment, stored), strict=True):
        opened = new.open(owner, environment).unwrap()
        assert opened.variables == {"PLAIN": "1", "KEY": value.reveal(), "OTHER": value.reveal()}
        assert failed(old.open(owner, environment))
