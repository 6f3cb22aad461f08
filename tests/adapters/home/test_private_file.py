"""Private files, on a real file system."""

import os
import threading
from pathlib import Path

import pytest

from adapters.home.api_token import MalformedToken, find_or_make_token, find_token
from adapters.home.private_file import MAX_PRIVATE_BYTES, OwnedFile
from domain.outcome import Failure, Success, failed
from ports.private_file import PrivateFile, PrivateFileFault, PrivateFileProblem
from tests.fakes.ids import CountingIds
from tests.requirements import requirement


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "secret.key"


@requirement("home:file:whole")
def test_a_private_file_is_its_owners_alone_and_comes_back_as_it_was(path: Path) -> None:
    file: PrivateFile = OwnedFile(path)
    umask = os.umask(0)
    try:
        assert file.read() == Success(None)
        assert file.create(b"\x00key\xff") == Success(True)
    finally:
        os.umask(umask)

    assert file.read() == Success(b"\x00key\xff")
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


@requirement("home:file:whole")
def test_what_is_there_is_never_replaced(path: Path) -> None:
    OwnedFile(path).create(b"first")

    assert OwnedFile(path).create(b"second") == Success(False)
    assert path.read_bytes() == b"first"
    assert list(path.parent.iterdir()) == [path]


@requirement("home:file:whole")
def test_of_many_who_make_it_at_once_one_does_and_all_read_it_whole(path: Path) -> None:
    begin = threading.Barrier(8)
    made: list[bool] = []
    seen: list[bytes | None] = []

    def make(number: int) -> None:
        begin.wait(timeout=5)
        made.append(OwnedFile(path).create(bytes([number]) * 4_000).unwrap())
        seen.append(OwnedFile(path).read().unwrap())

    threads = [threading.Thread(target=make, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)

    assert sorted(made) == [False] * 7 + [True]
    assert set(seen) == {path.read_bytes()}
    assert len(path.read_bytes()) == 4_000


@requirement("home:file:whole")
def test_a_full_disk_leaves_no_file_and_no_part_of_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    assert OwnedFile(path).create(b"key") == Failure(
        PrivateFileProblem(str(path), PrivateFileFault.DISK_FULL)
    )
    assert list(path.parent.iterdir()) == []


def test_a_place_that_is_not_there_is_not_writable(tmp_path: Path) -> None:
    path = tmp_path / "absent" / "secret.key"

    assert OwnedFile(path).create(b"key") == Failure(
        PrivateFileProblem(str(path), PrivateFileFault.NOT_WRITABLE)
    )


@requirement("home:file:closed")
@requirement("secrets:key:private")
@pytest.mark.parametrize("mode", [0o604, 0o640, 0o620, 0o601, 0o644, 0o666])
def test_a_file_that_others_may_touch_is_refused(path: Path, mode: int) -> None:
    path.write_bytes(b"key")
    path.chmod(mode)

    assert OwnedFile(path).read() == Failure(
        PrivateFileProblem(str(path), PrivateFileFault.EXPOSED)
    )


@requirement("home:file:closed")
@requirement("secrets:key:private")
@pytest.mark.parametrize("kind", ["link", "dangling link", "directory", "pipe"])
def test_what_is_no_file_of_its_own_is_refused(path: Path, kind: str) -> None:
    target = path.with_name("target")
    match kind:
        case "link":
            target.touch(mode=0o600)
            path.symlink_to(target)
        case "dangling link":
            path.symlink_to(target)
        case "directory":
            path.mkdir(mode=0o700)
        case _:
            os.mkfifo(path, 0o600)

    assert OwnedFile(path).read() == Failure(
        PrivateFileProblem(str(path), PrivateFileFault.NOT_A_FILE)
    )
    assert OwnedFile(path).create(b"key") == Success(False)
    assert not target.exists() or target.read_bytes() == b""


@requirement("home:file:closed")
@requirement("secrets:key:private")
def test_a_file_of_another_user_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    OwnedFile(path).create(b"key")
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)

    assert OwnedFile(path).read() == Failure(
        PrivateFileProblem(str(path), PrivateFileFault.FOREIGN)
    )


@requirement("home:file:closed")
def test_a_file_has_at_most_so_many_bytes(path: Path) -> None:
    at_bound = b"k" * MAX_PRIVATE_BYTES
    OwnedFile(path).create(at_bound)
    assert OwnedFile(path).read() == Success(at_bound)

    path.write_bytes(at_bound + b"k")
    assert OwnedFile(path).read() == Failure(
        PrivateFileProblem(str(path), PrivateFileFault.TOO_BIG)
    )
    with pytest.raises(ValueError, match="longer"):
        OwnedFile(path.with_name("other")).create(at_bound + b"k")


@requirement("home:token:made-once")
def test_the_token_is_made_once_and_read_afterwards(path: Path) -> None:
    file = OwnedFile(path)
    assert find_token(file) == Success(None)

    made = find_or_make_token(file, CountingIds("a"))
    again = find_or_make_token(file, CountingIds("b"))

    assert not failed(made)
    assert made == again == find_token(file)
    token = made.unwrap()
    assert len(token.reveal()) == len("kdt_") + 43
    assert path.read_bytes() == token.reveal().encode() + b"\n"


@requirement("home:token:made-once")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"secret",
        b"kdt_" + b"a" * 42,
        b"kdt_" + b"a" * 44,
        b"kdt_" + b"a" * 43 + b"\n\n",
        b"kdl_" + b"a" * 43,
        b"kdt_" + b"\xff" * 43,
    ],
)
def test_a_file_that_holds_no_token_is_refused_and_left(path: Path, content: bytes) -> None:
    path.touch(mode=0o600)
    path.write_bytes(content)

    outcome = find_or_make_token(OwnedFile(path), CountingIds())

    assert outcome == Failure(MalformedToken(str(path)))
    assert path.read_bytes() == content


def test_an_exposed_token_is_refused(path: Path) -> None:
    path.write_bytes(b"kdt_" + b"a" * 43)
    path.chmod(0o644)

    assert find_token(OwnedFile(path)) == Failure(
        PrivateFileProblem(str(path), PrivateFileFault.EXPOSED)
    )
