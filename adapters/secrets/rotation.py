"""Another key in the key file, and old ones out of it.

A new key is in the file, beside the old ones, before anything is sealed with it; an old one leaves
when its owner has seen that nothing needs it. The file is whole at every moment.
"""

from collections.abc import Collection
from dataclasses import dataclass

from adapters.secrets.keyring import (
    KEY_BYTES,
    MAX_KEYS,
    KeyMissing,
    KeyProblem,
    Keyring,
    name_of,
    read_masters,
)
from domain.outcome import Failure, Result, Success, failed
from ports.ids import Ids
from ports.private_file import PrivateFile

__all__ = ("TooManyKeys", "add_key", "forget_keys")


@dataclass(frozen=True, slots=True)
class TooManyKeys:
    """The file holds as many keys as it may, and something needs each of them."""

    path: str


def add_key(file: PrivateFile, ids: Ids) -> Result[Keyring, KeyProblem | TooManyKeys]:
    """Put a new key before those of the file; from now on it seals, and all of them open."""
    found = read_masters(file)
    if failed(found):
        return found
    masters = found.unwrap()
    if not masters:
        return Failure(KeyMissing(file.path))
    if len(masters) == MAX_KEYS:
        return Failure(TooManyKeys(file.path))
    grown = [ids.random(KEY_BYTES), *masters]
    written = file.replace(b"".join(grown))
    return written if failed(written) else Success(Keyring(grown))


def forget_keys(file: PrivateFile, needed: Collection[bytes]) -> Result[int, KeyProblem]:
    """Take out the keys whose names are not needed, never the newest; how many went."""
    found = read_masters(file)
    if failed(found):
        return found
    masters = found.unwrap()
    kept = [*masters[:1], *(each for each in masters[1:] if name_of(each) in needed)]
    if len(kept) == len(masters):
        return Success(0)
    written = file.replace(b"".join(kept))
    return written if failed(written) else Success(len(masters) - len(kept))
