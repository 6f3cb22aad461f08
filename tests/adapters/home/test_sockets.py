"""Where sockets live, on a real file system."""

import hashlib
import os
import socket
from collections.abc import Generator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from adapters.home import sockets
from adapters.home.layout import HomeFault, HomeProblem
from adapters.home.sockets import ROOM_BYTES, SocketPathTooLong, socket_directory
from domain.broker_contract import MAX_SOCKET_BYTES
from domain.outcome import Failure, Success
from tests.requirements import requirement

HOME = Path("/home/me/.kandev")
SHORT = hashlib.sha256(b"/home/me/.kandev").hexdigest()[:8]
MINE = f"kandev-{os.geteuid()}"


@pytest.fixture
def short_path() -> Generator[Path]:
    """A directory whose path leaves room for sockets, which pytest's own do not."""
    with TemporaryDirectory(dir="/tmp") as place:
        yield Path(place).resolve()


def modes(directory: Path) -> list[int]:
    return [each.stat().st_mode & 0o777 for each in (directory.parent, directory)]


@requirement("home:sockets:private")
def test_sockets_live_in_the_runtime_directory_of_the_user(short_path: Path) -> None:
    environment = {"XDG_RUNTIME_DIR": str(short_path)}
    umask = os.umask(0)
    try:
        made = socket_directory(HOME, environment, Path("/nowhere"))
    finally:
        os.umask(umask)

    assert made == Success(short_path / "kandev" / SHORT)
    assert modes(made.unwrap()) == [0o700, 0o700]
    assert socket_directory(HOME, environment, Path("/nowhere")) == made


@requirement("home:sockets:private")
@pytest.mark.parametrize("runtime", [None, "", "relative", "absent", "a file", "a link", "long"])
def test_sockets_live_in_a_temporary_place_where_there_is_no_other(
    short_path: Path, runtime: str | None
) -> None:
    place = short_path / "run"
    match runtime:
        case "a file":
            place.touch()
        case "a link":
            place.symlink_to(short_path)
        case "long":
            place = short_path / ("x" * 100)
            place.mkdir()
        case _:
            pass
    named = {"a file": str(place), "a link": str(place), "long": str(place)}
    environment = (
        {}
        if runtime is None
        else {"XDG_RUNTIME_DIR": named.get(runtime, "/absent" if runtime == "absent" else runtime)}
    )

    made = socket_directory(HOME, environment, short_path)

    assert made == Success(short_path / MINE / SHORT)
    assert modes(made.unwrap()) == [0o700, 0o700]


@requirement("home:sockets:private")
def test_a_directory_that_was_open_is_closed(short_path: Path) -> None:
    (short_path / MINE / SHORT).mkdir(parents=True)
    (short_path / MINE).chmod(0o777)
    (short_path / MINE / SHORT).chmod(0o777)

    assert modes(socket_directory(HOME, {}, short_path).unwrap()) == [0o700, 0o700]


@requirement("home:sockets:private")
@pytest.mark.parametrize("level", [MINE, f"{MINE}/{SHORT}"])
@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_link_or_a_file_in_its_place_is_never_followed(
    short_path: Path, level: str, kind: str
) -> None:
    target = short_path / "target"
    target.mkdir(mode=0o755)
    planted = short_path / level
    planted.parent.mkdir(exist_ok=True)
    if kind == "link":
        planted.symlink_to(target)
    else:
        planted.touch()

    assert socket_directory(HOME, {}, short_path) == Failure(
        HomeProblem(str(planted), HomeFault.NOT_A_DIRECTORY)
    )
    assert target.stat().st_mode & 0o777 == 0o755
    assert list(target.iterdir()) == []


@requirement("home:sockets:private")
def test_a_directory_of_another_user_is_refused_and_left(
    short_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    somebody = os.geteuid() + 1
    planted = short_path / f"kandev-{somebody}"
    planted.mkdir(mode=0o755)
    monkeypatch.setattr(os, "geteuid", lambda: somebody)

    assert socket_directory(HOME, {"XDG_RUNTIME_DIR": str(short_path)}, short_path) == Failure(
        HomeProblem(str(planted), HomeFault.NOT_OURS)
    )
    assert planted.stat().st_mode & 0o777 == 0o755


def test_a_temporary_place_that_is_not_there_is_refused(short_path: Path) -> None:
    absent = short_path / "absent"

    assert socket_directory(HOME, {}, absent) == Failure(
        HomeProblem(str(absent), HomeFault.NOT_WRITABLE)
    )


def test_two_homes_have_two_directories(short_path: Path) -> None:
    found = {socket_directory(Path(home), {}, short_path).unwrap() for home in ("/a", "/b")}

    assert len(found) == 2


def padded(base: Path, length: int) -> Path:
    """A directory below `base` whose path has exactly so many bytes."""
    place = base / ("x" * (length - len(os.fsencode(base)) - 1))
    place.mkdir()
    assert len(os.fsencode(place)) == length
    return place


@requirement("home:sockets:bound")
@pytest.mark.parametrize(("beyond", "fits"), [(0, True), (1, False)])
def test_a_place_is_used_while_it_leaves_room_for_a_name(
    short_path: Path, monkeypatch: pytest.MonkeyPatch, beyond: int, fits: bool
) -> None:
    monkeypatch.setattr(sockets, "ROOM_BYTES", 8)
    below = len(f"/{MINE}/{SHORT}")
    temporary = padded(short_path, MAX_SOCKET_BYTES - 8 - below + beyond)
    directory = temporary / MINE / SHORT

    made = socket_directory(HOME, {}, temporary)

    assert made == (Success(directory) if fits else Failure(SocketPathTooLong(str(directory))))
    assert directory.exists() == fits


@requirement("home:sockets:bound")
def test_a_socket_in_the_longest_place_can_be_bound(short_path: Path) -> None:
    below = len(f"/{MINE}/{SHORT}")
    temporary = padded(short_path, MAX_SOCKET_BYTES - ROOM_BYTES - below)
    directory = socket_directory(HOME, {}, temporary).unwrap()

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(directory / ("s" * (ROOM_BYTES - 1))))
