"""`kandev secrets` on a home, and killed at every step of a rotation."""

import asyncio
import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.home.private_file import OwnedFile
from adapters.secrets.keyring import KEY_BYTES, Keyring, read_masters
from adapters.secrets.vault import AesVault
from adapters.sqlite.archive import create
from adapters.system.clock import SystemClock
from adapters.system.ids import SystemIds
from composition.commands import secrets
from composition.holding import held_home, keys, opened
from composition.settings import Settings, read_settings
from composition.start_problem import CannotStart
from domain.execution import ExecutionState
from domain.secret import Secret
from ports.vault import connection_place
from tests.contracts.store_examples import NOW, Example, stored
from tests.requirements import requirement

EXAMPLE = Example()
PLACE = connection_place(EXAMPLE.connection.id, EXAMPLE.workspace.id)
SECRET = Secret("ghp_correct-horse-battery-staple")
STEPS = ("add_key", "ResealSecrets.__call__", "ResealSecrets._batch", "forget_keys")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A home whose one connection is sealed with its only key; no agent runs."""
    made = read_settings({"KANDEV_HOME": str(tmp_path / "home")})
    asyncio.run(prepared(made, ExecutionState.ENDED))
    return made


async def prepared(settings: Settings, state: ExecutionState) -> None:
    with held_home(settings) as (home, _):
        async with opened(settings, home) as store:
            vault = AesVault(await keys(home, store), SystemIds(SystemClock()))
            await stored(store, EXAMPLE)
            async with store.write() as unit:
                await unit.put_execution(replace(EXAMPLE.execution, state=state))
                await unit.put_connection(EXAMPLE.connection, vault.seal(PLACE, SECRET))


def change(settings: Settings, *, rotating: bool = True, keeping: bool = True) -> int:
    return asyncio.run(secrets.change(settings, rotating=rotating, keeping=keeping))


def masters(settings: Settings) -> Sequence[bytes]:
    return read_masters(OwnedFile(settings.home / "secret.key")).unwrap()


async def opens(settings: Settings, key: bytes) -> bool:
    """Whether the key alone opens the stored secret."""
    with held_home(settings) as (home, _):
        async with opened(settings, home) as store, store.read() as state:
            sealed = await state.connection_secret(EXAMPLE.connection.id)
    assert sealed is not None
    found = AesVault(Keyring([key]), SystemIds(SystemClock())).open(PLACE, sealed)
    return found.value_or(None) == SECRET


@requirement("secrets:rotate")
def test_a_rotation_ends_with_one_new_key_that_opens_everything(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    (old,) = masters(settings)

    assert change(settings) == 0

    (new,) = masters(settings)
    assert new != old
    assert asyncio.run(opens(settings, new))
    assert capsys.readouterr().out == (
        "1 secrets are sealed with the new key\n1 old keys are forgotten\n"
    )


@requirement("secrets:rotate:forget")
def test_a_key_that_a_backup_needs_is_kept_until_that_backup_is_given_up(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    old = masters(settings)
    backup = create(settings.home / "kandev.db", settings.home / "backups", NOW).unwrap()

    change(settings)

    assert masters(settings)[1:] == old
    assert f"an old key is kept for the backup {backup.name}\n" in capsys.readouterr().out
    change(settings, rotating=False)
    assert masters(settings)[1:] == old
    change(settings, rotating=False, keeping=False)
    assert len(masters(settings)) == 1


@requirement("secrets:rotate:forget")
def test_a_backup_that_cannot_be_read_may_need_every_key(settings: Settings) -> None:
    old = masters(settings)
    (settings.home / "backups" / "manual-20260101T000000Z.db").write_bytes(b"\xff" * 4096)

    change(settings)

    assert masters(settings)[1:] == old


@requirement("secrets:rotate:forget")
def test_a_key_that_capabilities_of_running_agents_need_is_kept(tmp_path: Path) -> None:
    settings = read_settings({"KANDEV_HOME": str(tmp_path / "home")})
    asyncio.run(prepared(settings, ExecutionState.LIVE))
    old = masters(settings)

    change(settings, keeping=False)

    assert masters(settings)[1:] == old
    asyncio.run(ended(settings))
    change(settings, rotating=False)
    assert len(masters(settings)) == 1


async def ended(settings: Settings) -> None:
    with held_home(settings) as (home, _):
        async with opened(settings, home) as store, store.write() as unit:
            await unit.put_execution(replace(EXAMPLE.execution, state=ExecutionState.ENDED))


@requirement("secrets:rotate:server")
def test_a_home_that_is_held_is_not_rotated(settings: Settings) -> None:
    before = masters(settings)

    with held_home(settings), pytest.raises(CannotStart) as refused:
        change(settings)

    assert refused.value.code == "home_in_use"
    assert masters(settings) == before


@requirement("secrets:rotate:safe")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("done", [False, True])
def test_a_rotation_that_is_killed_loses_nothing_and_is_finished_by_the_next(
    settings: Settings, step: str, *, done: bool
) -> None:
    killed_at(settings, step, done=done)

    assert asyncio.run(openable(settings))
    assert len(masters(settings)) <= 2
    change(settings)
    (only,) = masters(settings)
    assert len(only) == KEY_BYTES
    assert asyncio.run(opens(settings, only))


async def openable(settings: Settings) -> bool:
    """Whether a start finds the keys of everything that is sealed."""
    with held_home(settings) as (home, _):
        async with opened(settings, home) as store:
            await keys(home, store)
    return True


def killed_at(settings: Settings, step: str, *, done: bool) -> None:
    """A rotation in a process of its own that ends before a step, or after it was `done`."""
    child = os.fork()
    if child == 0:
        holder, _, name = step.rpartition(".")
        place = getattr(secrets, holder) if holder else secrets
        setattr(place, name, deadly(getattr(place, name), done=done))
        change(settings)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def deadly(real: Callable[..., Any], *, done: bool) -> Callable[..., Any]:
    def plain(*arguments: object) -> None:
        if done:
            real(*arguments)
        os._exit(9)

    async def awaited(*arguments: object) -> None:
        if done:
            await real(*arguments)
        os._exit(9)

    return awaited if inspect.iscoroutinefunction(real) else plain
