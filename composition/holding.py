"""A home that is ready for use, held by one process against every other, and what is in it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from adapters.home.layout import Home, prepare_home
from adapters.home.lock import HomeLock, take_home
from adapters.home.private_file import OwnedFile
from adapters.secrets.keyring import Keyring, unlock
from adapters.sqlite.store import SqliteStore, StoreRefused, open_store
from adapters.system.clock import SystemClock
from adapters.system.ids import SystemIds
from composition import start_sentences
from composition.settings import VERSION, Settings
from domain.outcome import failed

__all__ = ("held_home", "home_of", "keys", "opened")


def home_of(settings: Settings) -> Home:
    """The home of these settings. Raises `CannotStart`."""
    prepared = prepare_home(settings.home)
    if failed(prepared):
        raise start_sentences.home(prepared.failure())
    return prepared.unwrap()


@contextmanager
def held_home(settings: Settings) -> Iterator[tuple[Home, HomeLock]]:
    """The home, which nobody else holds until the block ends. Raises `CannotStart`."""
    home = home_of(settings)
    taken = take_home(home.lock)
    if failed(taken):
        raise start_sentences.held(taken.failure())
    with taken.unwrap() as lock:
        yield home, lock


@asynccontextmanager
async def opened(home: Home) -> AsyncIterator[SqliteStore]:
    """The store, migrated when it has to be. Raises `CannotStart`."""
    try:
        async with open_store(
            home.database, backups=home.backups, version=VERSION, clock=SystemClock()
        ) as store:
            yield store
    except StoreRefused as refused:
        raise start_sentences.store(refused.problem) from None


async def keys(home: Home, store: SqliteStore) -> Keyring:
    """The keys, which open everything sealed that is stored. Raises `CannotStart`."""
    async with store.read() as state:
        sealed = await state.sealed_values()
    unlocked = unlock(OwnedFile(home.secret_key), SystemIds(SystemClock()), sealed)
    if failed(unlocked):
        raise start_sentences.keys(unlocked.failure())
    return unlocked.unwrap()
