"""Files that a worktree is given, on a real file system."""

import os
from pathlib import Path

import pytest

from adapters.agentctl.server import copied_files
from adapters.agentctl.server.copied_files import give
from domain.copy_files import Reason, parse
from tests.requirements import requirement


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = tmp_path / "source"
    (root / "config" / "deep").mkdir(parents=True)
    (root / ".env").write_text("one")
    (root / ".env").chmod(0o640)
    (root / "config" / "local.yml").write_text("local")
    (root / "config" / "dev.yml").write_text("dev")
    (root / "config" / "deep" / "secret").write_text("deep")
    return root


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "tasks" / "worktree"
    path.mkdir(parents=True)
    return path


def _found(target: Path) -> list[str]:
    return sorted(
        str(path.relative_to(target))
        for path in target.rglob("*")
        if path.is_symlink() or path.is_file()
    )


@requirement("copy-files:given")
@pytest.mark.parametrize(
    ("spec", "found"),
    [
        (".env", [".env"]),
        ("config/{local,dev}.yml", ["config/dev.yml", "config/local.yml"]),
        ("config", ["config/deep/secret", "config/dev.yml", "config/local.yml"]),
        ("**/secret", ["config/deep/secret"]),
        ("*", [".env", "config/deep/secret", "config/dev.yml", "config/local.yml"]),
    ],
)
def test_what_an_entry_names_is_copied(
    source: Path, target: Path, spec: str, found: list[str]
) -> None:
    assert give(parse(spec), source, target) == []
    assert _found(target) == found


@requirement("copy-files:given")
def test_a_copy_has_the_content_and_the_permissions(source: Path, target: Path) -> None:
    give(parse(".env"), source, target)

    assert (target / ".env").read_text() == "one"
    assert (target / ".env").stat().st_mode & 0o777 == 0o640


@requirement("copy-files:given")
def test_a_link_is_relative_and_leads_back(source: Path, target: Path) -> None:
    assert give(parse("config:symlink, .env:symlink"), source, target) == []

    assert (target / ".env").is_symlink()
    assert not (target / ".env").readlink().is_absolute()
    assert (target / ".env").read_text() == "one"
    assert (target / "config" / "dev.yml").read_text() == "dev"


@requirement("copy-files:given")
def test_what_is_there_is_left_alone_and_is_no_warning(source: Path, target: Path) -> None:
    (target / ".env").write_text("mine")

    assert give(parse(".env"), source, target) == []
    assert (target / ".env").read_text() == "mine"


@requirement("copy-files:contained")
def test_nothing_is_read_from_outside_the_repository(
    source: Path, target: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").write_text("outside")
    (source / "leak").symlink_to(tmp_path / "outside")

    warnings = give(parse("leak, ../outside, /etc/hostname, leak:symlink"), source, target)

    assert {each.reason for each in warnings} == {Reason.OUTSIDE}
    assert len(warnings) == 3
    assert _found(target) == []


@requirement("copy-files:contained")
def test_nothing_is_written_through_a_link(source: Path, target: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (target / "config").symlink_to(tmp_path / "elsewhere")

    warnings = give(parse("config/dev.yml, config/local.yml:symlink"), source, target)

    assert [each.reason for each in warnings] == [Reason.LINKED, Reason.LINKED]
    assert list((tmp_path / "elsewhere").iterdir()) == []


@requirement("copy-files:warned")
def test_what_cannot_be_given_is_a_warning_and_the_rest_is_given(
    source: Path, target: Path
) -> None:
    os.mkfifo(source / "pipe")

    warnings = give(parse("missing, pipe, .env"), source, target)

    assert [(each.path, each.reason) for each in warnings] == [
        ("missing", Reason.NO_MATCH),
        ("pipe", Reason.SPECIAL),
    ]
    assert _found(target) == [".env"]


@requirement("copy-files:warned")
@pytest.mark.parametrize(("files", "warned"), [(4, False), (5, True)])
def test_files_are_given_up_to_the_bound(
    tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch, files: int, warned: bool
) -> None:
    monkeypatch.setattr(copied_files, "MAX_FILES", 4)
    root = tmp_path / "many"
    root.mkdir()
    for number in range(files):
        (root / f"file{number}").touch()

    warnings = give(parse("file*"), root, target)

    assert [each.reason for each in warnings] == ([Reason.TOO_MANY] if warned else [])
    assert len(_found(target)) == 4


def test_git_s_own_files_are_not_given(source: Path, target: Path) -> None:
    (source / ".git").mkdir()
    (source / ".git" / "config").touch()

    assert [each.reason for each in give(parse(".git, .git/config"), source, target)] == [
        Reason.NO_MATCH,
        Reason.NO_MATCH,
    ]
