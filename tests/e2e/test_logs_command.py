"""`kandev logs`, as its script, against a real server and against one that misbehaves."""

import asyncio
import json
import os
import stat
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.kandev import SECONDS, Installation
from tests.fakes.bundle_server import BundleServer, bundle_server
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

SCRIPT = Path(__file__).parents[2] / "scripts" / "kandev-logs"
TOKEN = "kdt_0123456789abcdefghijklmnop"


@dataclass
class Outcome:
    code: int
    output: str
    errors: str


async def logs(
    at: Path, *arguments: str, token: str | None = TOKEN, path: str = os.environ["PATH"]
) -> Outcome:
    environment = {"PATH": path, "HOME": str(at)}
    if token is not None:
        environment["KANDEV_API_TOKEN"] = token
    process = await asyncio.create_subprocess_exec(
        str(SCRIPT),
        *arguments,
        cwd=at,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(SECONDS):
        output, errors = await process.communicate()
    assert TOKEN.encode() not in output + errors
    return Outcome(process.returncode or 0, output.decode(), errors.decode())


@asynccontextmanager
async def serving(installation: Installation) -> AsyncIterator[str]:
    installation.environment["KANDEV_API_TOKEN"] = TOKEN
    async with installation.server() as driver:
        yield str(driver.client.http.base_url.port)


@pytest.fixture
def fake() -> Iterator[BundleServer]:
    with bundle_server() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "here"
    made.mkdir()
    return made


@requirement("kandev-logs:file")
async def test_a_bundle_of_a_running_server_is_a_private_file(
    installation: Installation, folder: Path
) -> None:
    async with serving(installation) as port:
        done = await logs(folder, "--port", port, "--output", "deep/down/it.zip", "--verify")

    path = folder / "deep" / "down" / "it.zip"
    assert (done.code, done.output, done.errors) == (0, f"{path}\n", "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["manifest.json", "backend/backend-logs.log"]
        assert TOKEN.encode() not in archive.read("backend/backend-logs.log")
    assert list(path.parent.iterdir()) == [path]


@requirement("kandev-logs:entry")
async def test_manifest_and_entry_can_be_had_alone(
    installation: Installation, folder: Path
) -> None:
    async with serving(installation) as port:
        manifest = await logs(folder, "--port", port, "--manifest")
        entry = await logs(folder, "--port", port, "--entry", "backend/backend-logs.log")
        missing = await logs(folder, "--port", port, "--entry", "backend/none.log")

    assert json.loads(manifest.output)["status"] == "ready"
    assert entry.output == f"{folder / 'backend-logs.log'}\n"
    assert b'"serving"' in (folder / "backend-logs.log").read_bytes()
    assert (missing.code, missing.output) == (1, "")
    assert [path.name for path in folder.iterdir()] == ["backend-logs.log"]


@requirement("kandev-logs:partial")
@pytest.mark.parametrize(("flags", "code"), [((), 0), (("--strict",), 3)])
async def test_a_partial_bundle_is_written_and_told_to_who_is_strict(
    installation: Installation, folder: Path, flags: tuple[str, ...], code: int
) -> None:
    async with serving(installation) as port:
        done = await logs(folder, "--port", port, "--source", "all", "--json", *flags)

    outcome = json.loads(done.output)
    assert (done.code, outcome["status"]) == (code, "partial")
    assert Path(outcome["path"]).stat().st_size == outcome["bytes"] == outcome["bytes_written"]


@requirement("kandev-logs:token")
@pytest.mark.parametrize("token", [None, "kdt_wrong0123456789", "with\nline", "ümlaut0123456789"])
async def test_without_the_token_of_the_server_the_variable_is_named(
    installation: Installation, folder: Path, token: str | None
) -> None:
    async with serving(installation) as port:
        done = await logs(folder, "--port", port, token=token)

    assert (done.code, done.output) == (5, "")
    assert "KANDEV_API_TOKEN" in done.errors
    assert token is None or token not in done.errors
    assert list(folder.iterdir()) == []


@requirement("kandev-logs:token")
@pytest.mark.parametrize(("token", "sent"), [(None, None), (TOKEN, f"Bearer {TOKEN}")])
async def test_the_token_of_the_variable_is_sent_and_none_else(
    fake: BundleServer, folder: Path, token: str | None, sent: str | None
) -> None:
    done = await logs(folder, "--port", str(fake.port), token=token)

    assert (done.code, fake.tokens) == (0, [sent])


@requirement("kandev-logs:token")
async def test_no_program_that_the_script_runs_sees_the_token(
    fake: BundleServer, folder: Path, tmp_path: Path
) -> None:
    seen, between = tmp_path / "seen", tmp_path / "between"
    between.mkdir()
    for name in ("readlink", "dirname", "env", "python3", "sh"):
        program = between / name
        real = f'PATH={os.environ["PATH"]} exec {name} "$@"'
        program.write_text(f'#!/bin/sh\n{{ echo "{name} $*"; export; }} >> {seen}\n{real}\n')
        program.chmod(0o755)
    path = f"{between}:{os.environ['PATH']}"
    done = await logs(folder, "--port", str(fake.port), path=path)

    assert (done.code, fake.tokens) == (0, [f"Bearer {TOKEN}"])
    assert "readlink -f -- " in seen.read_text()
    assert TOKEN not in seen.read_text()
    assert fake.arguments
    assert not any(TOKEN.encode() in each for each in fake.arguments)


@requirement("kandev-logs:usage")
@pytest.mark.parametrize(
    "arguments",
    [
        ("1", "2"),
        ("--source", "x"),
        ("--bogus",),
        ("--port", "abc"),
        ("--port", "0"),
        ("--port", "65536"),
        ("--output",),
        ("--token", "x"),
        ("--manifest", "--entry", "x"),
        ("--manifest", "--verify"),
        ("--resume",),
    ],
)
async def test_a_wrong_command_line_exits_2(folder: Path, arguments: tuple[str, ...]) -> None:
    done = await logs(folder, *arguments)

    assert (done.code, done.output) == (2, "")


@requirement("kandev-logs:usage")
async def test_help_needs_nothing_and_names_the_codes(folder: Path) -> None:
    done = await logs(folder, "--help", token=None)

    assert done.code == 0
    assert "KANDEV_API_TOKEN" in done.output
    for code in range(6):
        assert f"\n  {code}  " in done.output


@requirement("kandev-logs:busy")
async def test_a_busy_server_is_told_or_waited_for(fake: BundleServer, folder: Path) -> None:
    fake.busy = 2
    refused = await logs(folder, "--port", str(fake.port))
    waited = await logs(folder, "--port", str(fake.port), "--wait")

    assert (refused.code, refused.output) == (4, "")
    assert "1 seconds" in refused.errors
    assert waited.code == 0


@requirement("kandev-logs:nothing-left")
@pytest.mark.parametrize("cut", [0, 1, 200_000])
async def test_a_download_that_breaks_off_leaves_nothing(
    fake: BundleServer, folder: Path, cut: int
) -> None:
    fake.cut = cut
    done = await logs(folder, "--port", str(fake.port))

    assert (done.code, done.output) == (1, "")
    assert list(folder.iterdir()) == []


@requirement("kandev-logs:nothing-left")
async def test_a_bundle_that_failed_leaves_nothing(fake: BundleServer, folder: Path) -> None:
    fake.status = "failed"
    done = await logs(folder, "--port", str(fake.port))

    assert (done.code, done.output, list(folder.iterdir())) == (1, "", [])


@requirement("kandev-logs:resume")
async def test_a_download_goes_on_where_it_broke_off(fake: BundleServer, folder: Path) -> None:
    call = ("--port", str(fake.port), "--output", "it.zip", "--resume", "--verify")
    fake.cut = 200_000
    broken = await logs(folder, *call)
    kept = (folder / ".it.zip.part").stat().st_size
    fake.cut = None
    done = await logs(folder, *call)

    assert (broken.code, done.code) == (1, 0)
    assert fake.ranges == [None, f"bytes={kept}-"]
    assert 0 < kept <= 200_000
    assert [path.name for path in folder.iterdir()] == ["it.zip"]
    assert (folder / "it.zip").read_bytes() == fake.data


@requirement("kandev-logs:verify")
@pytest.mark.parametrize("flags", [(), ("--resume",)])
async def test_an_archive_that_is_not_what_was_said_is_not_kept(
    fake: BundleServer, folder: Path, flags: tuple[str, ...]
) -> None:
    fake.spoiled = True
    call = ("--port", str(fake.port), "--output", "it.zip", "--verify", *flags)
    done = await logs(folder, *call)

    assert (done.code, done.output, list(folder.iterdir())) == (1, "", [])


async def test_without_a_server_the_command_says_so(fake: BundleServer, folder: Path) -> None:
    (folder / "it.zip").write_text("precious")
    fake.cut = 1
    cut = await logs(folder, "--port", str(fake.port), "--output", "it.zip")
    nobody = await logs(folder, "--port", "1", "--output", "it.zip")

    assert (cut.code, nobody.code) == (1, 1)
    assert "port 1: name" in nobody.errors
    assert (folder / "it.zip").read_text() == "precious"
