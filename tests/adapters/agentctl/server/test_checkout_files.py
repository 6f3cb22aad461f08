"""Files of a checkout that somebody else has a hand in, on a real file system."""

import os
from pathlib import Path

import pytest

from adapters.agentctl.server.checkout_files import list_directory, read_file, write_file
from adapters.agentctl.server.checkout_git import Where
from adapters.agentctl.server.way import way_to
from domain.checkout_file import (
    MAX_MATCH_CHARACTERS,
    MAX_READ_BYTES,
    EntryKind,
    FileCode,
    FileEntry,
    Match,
    Search,
    SearchIn,
    digest,
)
from domain.identity import TaskId
from domain.outcome import failed
from tests.adapters.agentctl.server.conftest import House
from tests.requirements import requirement


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "folder").mkdir(parents=True)
    (tree / "folder" / "file").write_text("inside\n")
    (tree / ".git").mkdir()
    (tree / ".git" / "config").write_text("[core]\n")
    (tmp_path / "secret").write_text("outside\n")
    return tree


def _names(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


@requirement("session-files:look")
def test_a_directory_tells_its_entries_and_follows_none(root: Path) -> None:
    (root / "b").write_text("four")
    (root / "link").symlink_to("folder")
    os.mkfifo(root / "pipe")

    told = list_directory(root, "").unwrap()

    assert told.entries == (
        FileEntry("folder", EntryKind.DIRECTORY, None),
        FileEntry("b", EntryKind.FILE, 4),
        FileEntry("link", EntryKind.LINK, None),
        FileEntry("pipe", EntryKind.OTHER, None),
    )
    assert list_directory(root, "folder").unwrap().entries == (
        FileEntry("file", EntryKind.FILE, 7),
    )


@requirement("session-files:look")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("missing", FileCode.NOT_FOUND),
        ("missing/deep", FileCode.NOT_FOUND),
        ("folder", FileCode.NOT_A_FILE),
        ("", FileCode.NOT_A_FILE),
        ("folder/file/x", FileCode.NOT_A_DIRECTORY),
        ("pipe", FileCode.NOT_A_FILE),
        ("n" * 300, FileCode.NOT_FOUND),
    ],
)
def test_what_is_no_file_is_not_read(root: Path, path: str, code: FileCode) -> None:
    os.mkfifo(root / "pipe")

    assert read_file(root, path).failure().code is code


@requirement("session-files:look")
@pytest.mark.parametrize(("more", "refused"), [(0, False), (1, True)])
def test_a_file_over_the_bound_is_not_read(root: Path, more: int, refused: bool) -> None:
    with (root / "large").open("wb") as file:
        file.truncate(MAX_READ_BYTES + more)

    told = read_file(root, "large")

    assert failed(told) is refused
    if refused:
        assert told.failure().code is FileCode.TOO_LARGE


@requirement("session-files:inside")
@pytest.mark.parametrize(
    "target",
    [
        "/etc/passwd",
        "../secret",
        "folder/../../secret",
        ".git/config",
        ".GIT/config",
        "link",
        "folder/../../tree/folder/file",
    ],
)
@pytest.mark.parametrize("replaces", [None, digest(b"outside\n")])
def test_a_link_that_leads_out_is_not_followed(
    root: Path, target: str, replaces: str | None
) -> None:
    (root / "link").symlink_to(target)

    assert read_file(root, "link").failure().code is FileCode.OUTSIDE
    assert write_file(root, "link", b"x", replaces).failure().code is FileCode.OUTSIDE
    assert (root.parent / "secret").read_text() == "outside\n"
    assert (root / ".git" / "config").read_text() == "[core]\n"


@requirement("session-files:inside")
@pytest.mark.parametrize("target", ["..", "/", "../tree/.git"])
def test_a_directory_that_leads_out_is_not_entered(root: Path, target: str) -> None:
    (root / "link").symlink_to(target)

    assert list_directory(root, "link").failure().code is FileCode.OUTSIDE
    assert write_file(root, "link/new", b"x", None).failure().code is FileCode.OUTSIDE
    assert not (root.parent / "new").exists()


@requirement("session-files:inside")
def test_a_link_that_stays_inside_is_followed(root: Path) -> None:
    (root / "link").symlink_to("folder")
    (root / "folder" / "second").symlink_to("../folder/./file")

    assert read_file(root, "link/second").unwrap().content == "inside\n"
    written = write_file(root, "link/second", b"changed\n", digest(b"inside\n"))

    assert written.unwrap().size == 8
    assert (root / "folder" / "file").read_text() == "changed\n"
    assert (root / "folder" / "second").is_symlink()


@requirement("session-files:inside")
def test_a_directory_that_is_swapped_for_a_link_leads_nowhere(root: Path) -> None:
    with way_to(root, "folder/file") as place:
        (root / "folder").rename(root / "moved")
        (root / "folder").symlink_to(root.parent)
        (root.parent / "file").write_text("outside\n")
        with os.fdopen(os.open(place.name, os.O_RDONLY, dir_fd=place.parent)) as file:
            assert file.read() == "inside\n"


@requirement("session-files:write")
def test_a_write_replaces_only_what_it_names(root: Path) -> None:
    (root / "run").write_text("old")
    (root / "run").chmod(0o755)

    for replaces in (None, digest(b"other")):
        refused = write_file(root, "run", b"new", replaces)
        assert refused.failure().code is FileCode.CHANGED
    assert (root / "run").read_text() == "old"

    written = write_file(root, "run", b"new", digest(b"old")).unwrap()

    assert (root / "run").read_text() == "new"
    assert (root / "run").stat().st_mode & 0o777 == 0o755
    assert written.digest == digest(b"new")
    assert write_file(root, "gone", b"new", digest(b"old")).failure().code is FileCode.CHANGED
    assert _names(root) == [".git", ".git/config", "folder", "folder/file", "run"]


@requirement("session-files:write")
def test_a_new_file_gets_its_directories(root: Path) -> None:
    (write_file(root, "a/b/new", b"\0", None)).unwrap()

    assert (root / "a" / "b" / "new").read_bytes() == b"\0"
    refused = write_file(root, "c/d/new", b"", digest(b""))
    assert refused.failure().code is FileCode.NOT_FOUND
    assert not (root / "c").exists()


@requirement("session-files:write")
def test_a_failed_write_leaves_nothing(root: Path) -> None:
    before = _names(root)

    for path in ("folder", "folder/file/x"):
        assert failed(write_file(root, path, b"x", None))
    assert _names(root) == before


@pytest.mark.anyio
@requirement("session-files:look")
async def test_a_search_looks_where_git_looks(house: House, source: Path) -> None:
    (source / "new").write_text(f"first\nneedle (.*) {'x' * 600}\n")
    (source / "ignored").write_text("needle (.*)\n")
    (source / "binary").write_bytes(b"\0needle (.*)\n")
    (source / ".gitignore").write_text("ignored\n")
    (source / "link").symlink_to("new")
    where = Where(str(source), TaskId("t1"), house.removal.host)

    found = (await house.git.search(where, Search("needle (.*)"))).unwrap()
    named = (await house.git.search(where, Search("IGNORE", SearchIn.NAMES))).unwrap()
    below = (await house.git.search(where, Search("needle", path="file"))).unwrap()
    option = (await house.git.search(where, Search("--untracked"))).unwrap()

    line = f"needle (.*) {'x' * 600}"[:MAX_MATCH_CHARACTERS]
    assert found.matches == (Match("new", 2, line),)
    assert named.matches == (Match(".gitignore", None, ""),)
    assert (below.matches, option.matches) == ((), ())
