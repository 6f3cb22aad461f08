"""Homes, on a real file system."""

import errno
import os
from pathlib import Path

import pytest

from adapters.home import layout
from adapters.home.layout import Home, HomeFault, HomeProblem, home_of, prepare_home
from domain.outcome import Failure, Success, failed
from tests.permission_probe import permissions_enforced
from tests.requirements import requirement

FOLDERS = {"logs", "backups", "tasks", "repos", "mirrors", "tmp"}


@requirement("home:layout:private")
def test_a_home_is_made_with_what_it_needs_for_its_owner_only(tmp_path: Path) -> None:
    root = tmp_path / "deep" / "home"
    umask = os.umask(0)
    try:
        assert prepare_home(root) == Success(Home(root))
    finally:
        os.umask(umask)

    assert {each.name for each in root.iterdir()} == FOLDERS
    assert {each.stat().st_mode & 0o777 for each in (root, *root.iterdir())} == {0o700}
    assert list((root / "tmp").iterdir()) == []


@requirement("home:layout:private")
def test_a_home_that_was_open_is_closed_and_what_is_in_it_stays(tmp_path: Path) -> None:
    root = tmp_path / "home"
    root.mkdir(mode=0o755)
    (root / "tasks").mkdir()
    (root / "tasks" / "work").write_text("precious")

    assert prepare_home(root) == Success(Home(root))
    assert prepare_home(root) == Success(Home(root))

    assert root.stat().st_mode & 0o777 == 0o700
    assert (root / "tasks" / "work").read_text() == "precious"


def test_a_home_behind_a_link_is_where_the_link_leads(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "disk")

    assert prepare_home(tmp_path / "home") == Success(Home(tmp_path / "disk"))


def test_every_path_of_a_home_is_below_it() -> None:
    home = Home(Path("/h"))

    assert {
        home.database,
        home.logs,
        home.backups,
        home.tasks,
        home.repos,
        home.mirrors,
        home.tmp,
        home.secret_key,
        home.api_token,
        home.lock,
    } == {Path("/h") / name for name in FOLDERS} | {
        Path("/h/kandev.db"),
        Path("/h/secret.key"),
        Path("/h/api-token"),
        Path("/h/server.lock"),
    }


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "/home/me/.kandev"),
        ({"KANDEV_HOME": ""}, "/home/me/.kandev"),
        ({"KANDEV_HOME": "/srv/kandev"}, "/srv/kandev"),
    ],
)
def test_the_home_is_what_the_variable_says_or_the_users(
    environment: dict[str, str], expected: str
) -> None:
    assert home_of(environment, Path("/home/me")) == Path(expected)


@requirement("home:layout:refused")
def test_a_relative_home_is_refused() -> None:
    assert prepare_home(Path("here")) == Failure(HomeProblem("here", HomeFault.NOT_ABSOLUTE))


@requirement("home:layout:refused")
@pytest.mark.parametrize("in_the_way", ["home", "home/tasks", "home/tmp"])
def test_what_is_no_directory_is_in_the_way(tmp_path: Path, in_the_way: str) -> None:
    blocked = tmp_path / in_the_way
    blocked.parent.mkdir(exist_ok=True)
    blocked.write_text("a file")

    outcome = prepare_home(tmp_path / "home")

    assert outcome == Failure(HomeProblem(str(blocked), HomeFault.NOT_A_DIRECTORY))
    assert blocked.read_text() == "a file"


@requirement("home:layout:refused")
def test_a_home_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    outcome = prepare_home(tmp_path / "file" / "home")

    assert failed(outcome)
    assert outcome.failure().fault is HomeFault.NOT_A_DIRECTORY


@requirement("home:layout:refused")
def test_the_home_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)

    assert prepare_home(tmp_path) == Failure(HomeProblem(str(tmp_path), HomeFault.NOT_OURS))


@requirement("home:layout:refused")
@pytest.mark.parametrize(
    ("number", "fault"),
    [
        (errno.EACCES, HomeFault.NOT_WRITABLE),
        (errno.EROFS, HomeFault.NOT_WRITABLE),
        (errno.ENOSPC, HomeFault.DISK_FULL),
        (errno.EDQUOT, HomeFault.DISK_FULL),
    ],
)
def test_a_home_that_cannot_be_written_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, fault: HomeFault
) -> None:
    def refuse(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(layout, "TemporaryFile", refuse)

    assert prepare_home(tmp_path) == Failure(HomeProblem(str(tmp_path), fault))


@requirement("home:layout:refused")
def test_a_home_without_permission_to_write_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "home"
    prepare_home(root)
    (root / "tmp").chmod(0o500)
    with permissions_enforced(tmp_path):
        outcome = prepare_home(root)
    (root / "tmp").chmod(0o700)

    assert outcome.failure().fault is HomeFault.NOT_WRITABLE
