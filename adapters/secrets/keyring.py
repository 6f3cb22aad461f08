"""The installation's keys: 32 random bytes each, the newest first, in one private file.

Each purpose has a key of its own, derived from them (HKDF with SHA-256, RFC 5869). A key is named
by eight bytes derived from it alike, so that its name says nothing of it. The file is never
replaced while anything sealed exists that its keys do not open.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from adapters.secrets.envelope import key_id_of
from domain.outcome import Failure, Result, Success, failed
from ports.ids import Ids
from ports.private_file import PrivateFile, PrivateFileProblem

__all__ = (
    "KEY_BYTES",
    "MAX_KEYS",
    "Key",
    "KeyMissing",
    "KeyProblem",
    "KeyUnknown",
    "KeyUnusable",
    "Keyring",
    "Purpose",
    "name_of",
    "read_masters",
    "unlock",
)

KEY_BYTES: Final = 32
MAX_KEYS: Final = 8
"""Keys in the file: the one that seals, and those that still open."""

_ID_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class KeyMissing:
    """There are sealed secrets and no key; only the key they were sealed with brings them back."""

    path: str


@dataclass(frozen=True, slots=True)
class KeyUnusable:
    """The file holds no key: its size in bytes is not one to eight times 32."""

    path: str
    size: int


@dataclass(frozen=True, slots=True)
class KeyUnknown:
    """The file's keys are not those that `count` of the sealed secrets were sealed with."""

    path: str
    count: int


KeyProblem: TypeAlias = PrivateFileProblem | KeyMissing | KeyUnusable | KeyUnknown


class Purpose(StrEnum):
    """What a derived key is for; the value is part of the derivation and never changes."""

    SECRET = "kandev.secret.v1"  # noqa: S105 -- a label
    CAPABILITY = "kandev.capability.v1"


@dataclass(frozen=True, slots=True)
class Key:
    """A key of one purpose, ready for use, and its name."""

    id: bytes
    cipher: AESGCM


class Keyring:
    """What was read from the key file; `repr` shows nothing of it."""

    __slots__ = ("_keys",)

    def __init__(self, masters: Iterable[bytes]) -> None:
        masters = tuple(masters)
        self._keys = {
            purpose: {key.id: key for key in (_derive(each, purpose) for each in masters)}
            for purpose in Purpose
        }

    def sealing(self, purpose: Purpose) -> Key:
        return next(iter(self._keys[purpose].values()))

    def opening(self, purpose: Purpose, key_id: bytes) -> Key | None:
        """The key of that name, None when it is not ours."""
        return self._keys[purpose].get(key_id)


def unlock(file: PrivateFile, ids: Ids, sealed: Iterable[bytes]) -> Result[Keyring, KeyProblem]:
    """Read the keys, or make the first one where nothing sealed exists that would need another.

    `sealed` is everything sealed that is stored. The file is never changed.
    """
    sealed = tuple(sealed)
    found = read_masters(file)
    if failed(found):
        return found
    masters = found.unwrap()
    if not masters:
        return Failure(KeyMissing(file.path)) if sealed else _make(file, ids)
    keyring = Keyring(masters)
    unknown = [each for each in sealed if keyring.opening(Purpose.SECRET, key_id_of(each)) is None]
    return Failure(KeyUnknown(file.path, len(unknown))) if unknown else Success(keyring)


def read_masters(file: PrivateFile) -> Result[Sequence[bytes], PrivateFileProblem | KeyUnusable]:
    """The keys of the file, the newest first; none where there is no file."""
    read = file.read()
    if failed(read):
        return read
    content = read.unwrap()
    if content is None:
        return Success(())
    if len(content) % KEY_BYTES or not KEY_BYTES <= len(content) <= KEY_BYTES * MAX_KEYS:
        return Failure(KeyUnusable(file.path, len(content)))
    return Success([
        content[start : start + KEY_BYTES] for start in range(0, len(content), KEY_BYTES)
    ])


def name_of(master: bytes) -> bytes:
    """The name of the key in what it sealed at rest."""
    return _derive(master, Purpose.SECRET).id


def _make(file: PrivateFile, ids: Ids) -> Result[Keyring, KeyProblem]:
    """Of two who make a key at once the first one's counts."""
    master = ids.random(KEY_BYTES)
    created = file.create(master)
    if failed(created):
        return created
    return Success(Keyring([master])) if created.unwrap() else unlock(file, ids, ())


def _derive(master: bytes, purpose: Purpose) -> Key:
    label = purpose.value.encode()
    key = HKDF(SHA256(), KEY_BYTES, None, label + b".key").derive(master)
    return Key(HKDF(SHA256(), _ID_BYTES, None, label + b".id").derive(master), AESGCM(key))
