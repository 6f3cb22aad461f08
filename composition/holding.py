"""A home that is ready for use, and held by one process against every other."""

from collections.abc import Iterator
from contextlib import contextmanager

from adapters.home.layout import Home, prepare_home
from adapters.home.lock import HomeLock, take_home
from composition import start_sentences
from composition.settings import Settings
from domain.outcome import failed

__all__ = ("held_home", "home_of")


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
