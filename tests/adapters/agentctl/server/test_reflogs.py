"""Reflogs as files: what is read of them, and how much of it at most."""

from pathlib import Path

import pytest

from adapters.agentctl.server import reflogs
from domain.push import MAX_REFLOG_BYTES, MAX_REFLOGS, MAX_WORKTREES, Update

LINE = f"{'a' * 40} {'b' * 40} t <t@t> 1 +0000\tupdate by push\n".encode()


def _log(common: Path, name: str, content: bytes) -> None:
    path = common / "logs" / "refs" / "remotes" / "origin" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_the_end_of_a_long_reflog_is_read(tmp_path: Path) -> None:
    whole = LINE * (MAX_REFLOG_BYTES // len(LINE))
    _log(tmp_path, "bound", b"#" * (MAX_REFLOG_BYTES - len(whole) - 1) + b"\n" + whole)
    _log(tmp_path, "past", LINE + whole)

    found, _ = reflogs.look(tmp_path, {})

    count = {name: sum(each.ref.endswith(name) for each in found) for name in ("bound", "past")}
    assert count["bound"] == len(whole) // len(LINE)
    assert count["past"] in {len(whole) // len(LINE), len(whole) // len(LINE) - 1}


def test_reflogs_are_looked_at_up_to_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reflogs, "MAX_REFLOGS", 3)
    for number in range(3):
        _log(tmp_path, str(number), LINE)
    at_the_bound = reflogs.look(tmp_path, {})[1]
    _log(tmp_path, "3", LINE)
    past_it = reflogs.look(tmp_path, {})[1]

    assert MAX_REFLOGS == 10_000
    assert (len(at_the_bound), len(past_it)) == (3, 3)


def test_what_is_told_names_the_objects(tmp_path: Path) -> None:
    _log(tmp_path, "x", LINE)
    found, known = reflogs.look(tmp_path, {})

    assert found == [
        Update("refs/remotes/origin/x", "a" * 40, "b" * 40, b"t <t@t> 1 +0000"),
    ]
    assert reflogs.look(tmp_path, known) == ([], known)


def test_worktrees_are_looked_at_up_to_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reflogs, "MAX_WORKTREES", 2)
    for name in ("one", "two"):
        (tmp_path / "worktrees" / name).mkdir(parents=True)
    at_the_bound = len(list(reflogs.worktrees(tmp_path)))
    (tmp_path / "worktrees" / "three").mkdir()

    assert MAX_WORKTREES == 1_000
    assert (at_the_bound, len(list(reflogs.worktrees(tmp_path)))) == (2, 2)
