"""A command that the tests call is there, or is named together with the package that brings it."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SCRIPT = ROOT / "scripts/install_test_packages.sh"


def _run(listed: str, place: Path) -> "subprocess.CompletedProcess[str]":
    """Run the script where nothing can be installed: only what it calls itself is there."""
    commands = place / "bin"
    commands.mkdir()
    for name in ("sh", "sed", "sort", "id", "tr"):
        found = shutil.which(name)
        assert found is not None
        (commands / name).symlink_to(found)
    (place / "list").write_text(listed, encoding="utf-8")
    return subprocess.run(
        [SCRIPT, place / "list"],
        env={"PATH": str(commands)},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def test_nothing_is_asked_for_where_everything_is_there(tmp_path: Path) -> None:
    done = _run("# A comment.\nsed sed\nid coreutils # and another\n\n", tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_each_missing_package_is_named_once(tmp_path: Path) -> None:
    done = _run("sed sed\nunzip unzip\nzipinfo unzip\nsetsid util-linux\n", tmp_path)

    assert done.returncode == 1
    assert done.stderr == "the tests need: unzip util-linux\n"


def test_the_list_names_commands_that_this_run_has() -> None:
    lines = (ROOT / "requirements/system.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]

    assert all(len(row) == 2 for row in rows)
    assert [
        command for command, _ in rows if shutil.which(command, path=os.environ["PATH"]) is None
    ] == []
