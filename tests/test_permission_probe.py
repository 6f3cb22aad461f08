"""The probe tells the truth, and a thread that gave its privilege up has it again afterwards."""

import os
from pathlib import Path

import pytest

from tests.permission_probe import enforced, permissions_enforced


def test_permission_bits_bind_inside_whoever_runs_the_tests(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch(mode=0o400)

    with permissions_enforced(tmp_path), pytest.raises(PermissionError):
        file.open("w")


def test_what_could_be_done_before_can_be_done_after(tmp_path: Path) -> None:
    before = enforced(tmp_path)

    with pytest.raises(ZeroDivisionError), permissions_enforced(tmp_path):
        raise ZeroDivisionError

    assert enforced(tmp_path) == before


def test_the_probe_finds_bits_unenforced_where_root_passes_over_them(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    file.chmod(0)

    try:
        os.close(os.open(file, os.O_RDONLY))
        passed = True
    except PermissionError:
        passed = False

    assert enforced(tmp_path) != passed


def test_the_probe_leaves_nothing(tmp_path: Path) -> None:
    enforced(tmp_path)

    assert list(tmp_path.iterdir()) == []
