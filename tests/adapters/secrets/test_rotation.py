"""Keys that come into the key file and leave it."""

from pathlib import Path

import pytest

from adapters.home.private_file import OwnedFile
from adapters.secrets.keyring import (
    KEY_BYTES,
    MAX_KEYS,
    KeyMissing,
    Keyring,
    KeyUnusable,
    name_of,
    unlock,
)
from adapters.secrets.rotation import TooManyKeys, add_key, forget_keys
from adapters.secrets.vault import AesVault
from domain.outcome import Failure, Success, failed
from domain.secret import Secret
from ports.private_file import PrivateFileFault, PrivateFileProblem
from ports.vault import SecretPlace
from tests.fakes.ids import CountingIds
from tests.full_disk import full_disk
from tests.requirements import requirement

PLACE = SecretPlace("con_1", "ws_1", "connection")
VALUE = Secret("ghp_correct-horse-battery-staple")


def keys(count: int) -> list[bytes]:
    return [CountingIds(f"key{number}").random(KEY_BYTES) for number in range(count)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "secret.key"


def put(path: Path, masters: list[bytes]) -> OwnedFile:
    path.touch(mode=0o600)
    path.write_bytes(b"".join(masters))
    return OwnedFile(path)


@requirement("secrets:rotate")
def test_a_new_key_seals_and_the_old_ones_still_open(path: Path) -> None:
    old = keys(2)
    file = put(path, old)
    sealed = AesVault(Keyring(old), CountingIds()).seal(PLACE, VALUE)

    added = add_key(file, CountingIds("new"))

    assert not failed(added)
    vault = AesVault(added.unwrap(), CountingIds())
    anew = vault.seal(PLACE, VALUE)
    assert path.read_bytes()[KEY_BYTES:] == b"".join(old)
    assert path.stat().st_mode & 0o777 == 0o600
    assert vault.open(PLACE, sealed).unwrap() == VALUE
    assert anew.startswith(vault.beginning())
    assert not sealed.startswith(vault.beginning())
    assert not failed(unlock(file, CountingIds(), [sealed, anew]))


@requirement("secrets:rotate:bound")
def test_there_are_at_most_so_many_keys(path: Path) -> None:
    file = put(path, keys(MAX_KEYS - 1))
    assert not failed(add_key(file, CountingIds("new")))
    full = path.read_bytes()

    assert len(full) == MAX_KEYS * KEY_BYTES
    assert add_key(file, CountingIds("one more")) == Failure(TooManyKeys(str(path)))
    assert path.read_bytes() == full


def test_a_file_that_is_not_there_or_holds_no_key_is_left(path: Path) -> None:
    file = OwnedFile(path)
    assert add_key(file, CountingIds()) == Failure(KeyMissing(str(path)))
    assert not path.exists()

    put(path, [b"short"])
    assert add_key(file, CountingIds()) == Failure(KeyUnusable(str(path), 5))
    assert forget_keys(file, set()) == Failure(KeyUnusable(str(path), 5))
    assert path.read_bytes() == b"short"


@requirement("secrets:rotate:forget")
def test_old_keys_leave_unless_they_are_needed_and_the_newest_never_does(path: Path) -> None:
    masters = keys(4)
    file = put(path, masters)

    assert forget_keys(file, {name_of(masters[2])}) == Success(2)
    assert path.read_bytes() == masters[0] + masters[2]
    assert forget_keys(file, {name_of(masters[2])}) == Success(0)
    assert forget_keys(file, set()) == Success(1)
    assert path.read_bytes() == masters[0]
    assert forget_keys(file, set()) == Success(0)


@requirement("secrets:rotate:safe")
def test_a_file_that_cannot_be_replaced_is_as_it_was(path: Path) -> None:
    masters = keys(2)
    file = put(path, masters)
    too_full = Failure(PrivateFileProblem(str(path), PrivateFileFault.NOT_WRITABLE))

    with full_disk(KEY_BYTES // 2):
        added = add_key(file, CountingIds("new"))
        forgotten = forget_keys(file, set())

    assert added == too_full
    assert forgotten == too_full
    assert path.read_bytes() == b"".join(masters)
    assert list(path.parent.iterdir()) == [path]
