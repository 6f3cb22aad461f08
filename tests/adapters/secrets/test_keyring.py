"""The key file, and what a start does about it."""

from pathlib import Path

import pytest
from typing_extensions import override

from adapters.home.private_file import OwnedFile
from adapters.secrets.keyring import (
    KEY_BYTES,
    MAX_KEYS,
    KeyMissing,
    Keyring,
    KeyUnknown,
    KeyUnusable,
    Purpose,
    unlock,
)
from adapters.secrets.vault import AesVault
from domain.outcome import Failure, Result, failed
from domain.secret import Secret
from ports.private_file import PrivateFileProblem
from ports.vault import SecretPlace
from tests.fakes.ids import CountingIds
from tests.requirements import requirement

PLACE = SecretPlace("con_1", "ws_1", "connection")
VALUE = Secret("ghp_correct-horse-battery-staple")


def keys(*names: str) -> bytes:
    return b"".join(CountingIds(name).random(KEY_BYTES) for name in names)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "secret.key"


def put(path: Path, content: bytes) -> OwnedFile:
    path.touch(mode=0o600)
    path.write_bytes(content)
    return OwnedFile(path)


class Overtaken(OwnedFile):
    """A private file that somebody else makes between the first look and the creation."""

    @override
    def create(self, content: bytes) -> Result[bool, PrivateFileProblem]:
        super().create(keys("theirs"))
        return super().create(content)


def keyring_of(content: bytes) -> Keyring:
    return Keyring(
        content[start : start + KEY_BYTES] for start in range(0, len(content), KEY_BYTES)
    )


def sealed_with(content: bytes) -> bytes:
    return AesVault(keyring_of(content), CountingIds()).seal(PLACE, VALUE)


@requirement("secrets:key:made-once")
def test_the_first_start_makes_a_key_and_the_next_one_reads_it(path: Path) -> None:
    file = OwnedFile(path)
    first = unlock(file, CountingIds("made"), ())
    assert not failed(first)
    sealed = AesVault(first.unwrap(), CountingIds()).seal(PLACE, VALUE)
    made = path.read_bytes()

    second = unlock(file, CountingIds("another"), [sealed])

    assert not failed(second)
    assert AesVault(second.unwrap(), CountingIds()).open(PLACE, sealed).unwrap() == VALUE
    assert path.read_bytes() == made
    assert len(made) == KEY_BYTES
    assert path.stat().st_mode & 0o777 == 0o600


@requirement("secrets:key:made-once")
def test_of_two_who_make_a_key_at_once_the_first_ones_counts(path: Path) -> None:
    theirs = keys("theirs")

    outcome = unlock(Overtaken(path), CountingIds("ours"), ())

    assert not failed(outcome)
    assert path.read_bytes() == theirs
    assert (
        AesVault(outcome.unwrap(), CountingIds()).open(PLACE, sealed_with(theirs)).unwrap() == VALUE
    )


@requirement("secrets:key:missing")
def test_a_missing_key_is_not_replaced_while_anything_is_sealed(path: Path) -> None:
    outcome = unlock(OwnedFile(path), CountingIds(), [sealed_with(keys("lost"))])

    assert outcome == Failure(KeyMissing(str(path)))
    assert not path.exists()


@requirement("secrets:key:wrong")
@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("size", [0, 1, 31, 33, 63, KEY_BYTES * MAX_KEYS + 1, KEY_BYTES * 9])
def test_a_file_that_holds_no_key_is_refused_and_left(path: Path, size: int, sealed: bool) -> None:
    content = b"k" * size
    file = put(path, content)

    outcome = unlock(file, CountingIds(), [sealed_with(keys("a"))] if sealed else [])

    assert outcome == Failure(KeyUnusable(file.path, size))
    assert path.read_bytes() == content


@requirement("secrets:key:wrong")
@pytest.mark.parametrize(
    "sealed",
    [
        sealed_with(keys("other")),
        b"",
        b"\x02" + sealed_with(keys("ours"))[1:],
        b"not sealed at all",
    ],
)
def test_a_value_that_no_key_in_the_file_sealed_is_told(path: Path, sealed: bytes) -> None:
    file = put(path, keys("ours"))

    outcome = unlock(file, CountingIds(), [sealed_with(keys("ours")), sealed, sealed])

    assert outcome == Failure(KeyUnknown(file.path, 2))


@requirement("secrets:key:rotation")
@pytest.mark.parametrize("count", [2, MAX_KEYS])
def test_the_newest_key_seals_and_every_key_opens(path: Path, count: int) -> None:
    names = [f"key{number}" for number in range(count)]
    oldest = sealed_with(keys(names[-1]))
    unlocked = unlock(put(path, keys(*names)), CountingIds(), [oldest])
    assert not failed(unlocked)
    keyring = unlocked.unwrap()

    newest = AesVault(keyring, CountingIds()).seal(PLACE, VALUE)

    assert AesVault(keyring, CountingIds()).open(PLACE, oldest).unwrap() == VALUE
    assert AesVault(keyring_of(keys(names[0])), CountingIds()).open(PLACE, newest).unwrap() == VALUE
    assert failed(AesVault(keyring_of(keys(names[-1])), CountingIds()).open(PLACE, newest))


def test_no_two_purposes_and_no_two_keys_share_a_key_or_a_name() -> None:
    nonce = bytes(12)
    rings = [keyring_of(keys(name)) for name in ("a", "b")]
    derived = [ring.sealing(purpose) for ring in rings for purpose in Purpose]

    assert len({each.id for each in derived}) == 4
    assert len({each.cipher.encrypt(nonce, b"same", b"") for each in derived}) == 4
    assert all(each.id not in keys("a", "b") for each in derived)


def test_a_keyring_does_not_print() -> None:
    content = keys("a")

    assert repr(content)[2:20] not in repr(keyring_of(content))
