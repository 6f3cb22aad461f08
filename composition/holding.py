"""A home that is ready for use, held by one process against every other, and what is in it."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from urllib.parse import parse_qs, unquote, urlsplit

from adapters.home.layout import Home, prepare_home
from adapters.home.lock import HomeLock, take_home
from adapters.home.private_file import OwnedFile
from adapters.secrets.keyring import Keyring, unlock
from adapters.sqlite.store import StoreRefused, open_store
from adapters.system.clock import SystemClock
from adapters.system.ids import SystemIds
from composition import start_sentences
from composition.settings import VERSION, Settings
from domain.outcome import failed
from domain.secret import Secret
from ports.store import Store

__all__ = ("held_home", "home_of", "keys", "opened", "secrets_of")


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
async def opened(settings: Settings, home: Home) -> AsyncIterator[Store]:
    """The store, migrated when it has to be. Raises `CannotStart`."""
    try:
        async with _opening(settings, home) as store:
            yield store
    except StoreRefused as refused:
        raise start_sentences.store(refused.problem) from None


def _opening(settings: Settings, home: Home) -> AbstractAsyncContextManager[Store]:
    clock = SystemClock()
    if settings.database is None:
        return open_store(home.database, backups=home.backups, version=VERSION, clock=clock)
    # The driver is imported by those who have such a database.
    from adapters.sqlite.postgresql.store import open_postgres_store  # noqa: PLC0415

    return open_postgres_store(settings.database, version=VERSION, clock=clock)


def secrets_of(settings: Settings) -> Sequence[Secret]:
    """What must not be seen of the settings: the database's address, and the password in it."""
    if settings.database is None:
        return ()
    parts = urlsplit(settings.database.reveal())
    passwords = [unquote(parts.password or ""), *parse_qs(parts.query).get("password", ())]
    return (settings.database, *(Secret(each) for each in passwords if each))


async def keys(home: Home, store: Store) -> Keyring:
    """The keys, which open everything sealed that is stored. Raises `CannotStart`."""
    async with store.read() as state:
        sealed = await state.sealed_values()
    unlocked = unlock(OwnedFile(home.secret_key), SystemIds(SystemClock()), sealed)
    if failed(unlocked):
        raise start_sentences.keys(unlocked.failure())
    return unlocked.unwrap()
