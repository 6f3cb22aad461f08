"""Bundles under attack: links planted before every step, and death at every step."""

import asyncio
import json
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from domain.outcome import failed
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.mortal_shelf import STEPS
from tests.adapters.agentctl.server.shelves import (
    BUNDLE,
    DATA,
    Worker,
    deliver,
    left,
    shelf_in,
)
from tests.git_oracle import isolated
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[4]


@contextmanager
def before_each_call(monkeypatch: pytest.MonkeyPatch, act: Callable[[int], None]) -> Iterator[None]:
    """Do something before each call that changes a folder; it is told the number of the call."""
    calls, busy = count(), False

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            nonlocal busy
            if not busy:
                busy = True
                act(next(calls))
                busy = False
            return call(*args, **kwargs)

        return counted

    with monkeypatch.context() as patched:
        for name in STEPS:
            patched.setattr(os, name, watched(getattr(os, name)))
        yield


@requirement("bundle:deliver:hostile")
@pytest.mark.parametrize("unnamed", [True, False])
@pytest.mark.parametrize(
    "place",
    [
        ".kandev",
        ".kandev/diagnostics",
        ".kandev/diagnostics/.gitignore",
        f".kandev/diagnostics/{BUNDLE}.zip",
    ],
)
async def test_a_link_planted_before_any_step_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, unnamed: bool
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (outside / f"{BUNDLE}.zip").write_bytes(b"theirs")
    outcomes: list[str] = []
    for step in count():
        reached = await attacked(tmp_path / str(step), monkeypatch, place, step, unnamed, outcomes)
        assert left(outside) == {f"{BUNDLE}.zip"}
        assert (outside / f"{BUNDLE}.zip").read_bytes() == b"theirs"
        assert stat.S_IMODE(outside.stat().st_mode) == 0o755
        if not reached:
            break

    assert "delivered" in outcomes
    assert RuntimeCode.DESTINATION_UNSAFE in outcomes


async def attacked(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    step: int,
    unnamed: bool,
    outcomes: list[str],
) -> bool:
    """One delivery with a link planted before the call of this number; whether it came to that."""
    workspace, reached = home / "workspace", False
    workspace.mkdir(parents=True)

    def plant(number: int) -> None:
        nonlocal reached
        if number != step:
            return
        reached = True
        planted = workspace / place
        planted.parent.mkdir(parents=True, exist_ok=True)
        if planted.is_dir():
            planted.rename(workspace / "moved")
        planted.unlink(missing_ok=True)
        planted.symlink_to(home.parent / "outside", target_is_directory=True)

    async with shelf_in(home, unnamed=unnamed) as shelf:
        with before_each_call(monkeypatch, plant):
            came = await deliver(shelf, Worker(workspace))
            assert shelf.staged == 0
            await shelf.end(Worker(workspace).handle)
    outcomes.append(came.failure().code if failed(came) else "delivered")
    assert left(home / "bundles") == set()
    whole = [path for path in workspace.rglob("*.zip") if not path.is_symlink()]
    assert all(path.read_bytes() == DATA for path in whole)
    shutil.rmtree(workspace)
    return reached


@requirement("bundle:deliver:killed")
@requirement("bundle:deliver:hidden")
@pytest.mark.parametrize("kind", ["unnamed", "named"])
async def test_death_at_any_step_leaves_nothing_half(tmp_path: Path, kind: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.adapters.agentctl.server.mortal_shelf",
        str(tmp_path),
        kind,
        cwd=ROOT,
        env=isolated(tmp_path),
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        output, _ = await process.communicate()
    deaths = [json.loads(line) for line in output.splitlines()]

    assert process.returncode == 0
    assert len(deaths) > 10
    assert [each["killed"] for each in deaths] == [True] * (len(deaths) - 1) + [False]
    assert all(each["whole"] for each in deaths)
    assert {each["status"] for each in deaths} == {""}
    assert [each["left"] for each in deaths] == [[]] * len(deaths)
    assert [each["records"] for each in deaths] == [[]] * len(deaths)
