"""The managed tools, run as an agent runs them: by real shells and real git."""

import asyncio
import os
import shutil
import signal
import socket
import stat
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.agentctl import process_stat
from adapters.agentctl.server.tools.directory import ManagedTools
from adapters.agentctl.wire import Lease
from adapters.git.process import LocalGit
from adapters.process.spawn import LocalProcesses
from domain.managed_git import HELPER_NAME
from tests.adapters.agentctl.broker.conftest import (
    FILLED,
    GADGETS,
    HOST,
    WIDGETS,
    Desk,
    Managed,
    run,
)
from tests.fakes.redactor import ListingRedactor
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

NAMES = {HELPER_NAME, "agentctl", "gh", "shell-start.sh"}
QUESTION = "protocol=https\nhost=forge.example\npath=acme/widgets\n\n"


def _tools(home: Path, search: str) -> ManagedTools:
    return ManagedTools(home / "tools", LocalGit(LocalProcesses(None), ListingRedactor()), search)


def _git_without_sockets(home: Path) -> str:
    """A search path whose git is the real one, built as if without unix sockets."""
    folder = home / "old git"
    folder.mkdir()
    git = folder / "git"
    git.write_text(
        f'#!/bin/sh\n[ "$1" != credential-cache ] || exit 128\nexec \'{shutil.which("git")}\' "$@"\n',
        encoding="utf-8",
    )
    git.chmod(0o700)
    return f"{folder}:{os.environ['PATH']}"


@requirement("broker:tools:directory")
async def test_the_directory_is_private_holds_the_tools_and_goes_with_agentctl(home: Path) -> None:
    async with _tools(home, os.environ["PATH"]) as tools:
        names = {path.name for path in tools.directory.iterdir()}
        modes = {stat.S_IMODE(path.stat().st_mode) for path in tools.directory.iterdir()}
        mode = stat.S_IMODE(tools.directory.stat().st_mode)

    assert names == NAMES
    assert (mode, modes) == (0o700, {0o700})
    assert list((home / "tools").iterdir()) == []


@requirement("broker:tools:directory")
@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.unlink(),
        lambda path: path.write_text("#!/bin/sh\necho password=evil\n", encoding="utf-8"),
        lambda path: path.chmod(0o777),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: (path.unlink(), path.symlink_to("/bin/true")),
        lambda path: path.parent.chmod(0o777),
        lambda path: shutil.rmtree(path.parent.parent),
    ],
    ids=["missing", "altered", "open", "directory", "link", "open directory", "all gone"],
)
async def test_what_is_wrong_is_rebuilt_for_the_next_instance(
    desk: Desk, harm: Callable[[Path], object]
) -> None:
    helper = desk.sockets.tools.helper
    harm(helper)

    managed = await desk.instance()

    assert (await managed.fill()).stdout == FILLED
    assert stat.S_IMODE(helper.lstat().st_mode) == 0o700
    assert stat.S_IMODE(helper.parent.stat().st_mode) == 0o700


@requirement("broker:tools:directory")
async def test_a_link_in_place_of_the_directory_is_refused(home: Path) -> None:
    async with _tools(home, os.environ["PATH"]) as tools:
        shutil.rmtree(tools.directory)
        tools.directory.symlink_to(home)

        with pytest.raises(OSError, match="not a directory of ours"):
            tools.mend()
        tools.directory.unlink()


@requirement("broker:tools:directory")
async def test_orphans_are_swept_and_others_stay(home: Path) -> None:
    pid, started = process_stat.ourselves()
    for name in (f"{pid}-{started + 1}", f"{os.getppid()}-1", "notes"):
        (home / "tools" / name).mkdir(parents=True)

    async with _tools(home, os.environ["PATH"]) as tools:
        assert {path.name for path in tools.root.iterdir()} == {f"{pid}-{started}", "notes"}


async def test_a_place_with_a_colon_is_refused_to_whoever_needs_it(home: Path) -> None:
    place = home / "a:b"
    place.mkdir()

    async with _tools(place, os.environ["PATH"]) as tools:
        with pytest.raises(OSError, match="a colon"):
            tools.mend()


@requirement("broker:tools:paths")
@pytest.mark.parametrize(
    "more", [{"PATH": ""}, {"PATH": "/nonexistent"}, {"HOME": "/nonexistent"}, {"HOME": ""}]
)
async def test_the_helper_needs_neither_a_path_nor_a_home(desk: Desk, more: dict[str, str]) -> None:
    managed = await desk.instance()
    assert " " in str(managed.tools)
    assert " " in str(managed.socket.path)

    assert (await managed.fill(**more)).stdout == FILLED


@requirement("broker:tools:no-python")
async def test_no_tool_names_an_interpreter_where_git_has_a_client(desk: Desk) -> None:
    texts = [path.read_text("utf-8") for path in desk.sockets.tools.directory.iterdir()]

    assert len(texts) == len(NAMES)
    assert not any("python" in text.casefold() for text in texts)


@requirement("broker:tools:no-python")
async def test_a_get_runs_nothing_but_sh_and_git(desk: Desk, tmp_path: Path) -> None:
    managed = await desk.instance()
    trace = tmp_path / "trace"
    await managed.fill(GIT_TRACE2=str(trace))
    started = [
        line.split(" start ", 1)[1] for line in trace.read_text().splitlines() if " start " in line
    ]

    assert len(started) == 2
    assert started[0].startswith(f"{shutil.which('git')} credential fill")
    assert "credential-cache --socket" in started[1]


@requirement("broker:tools:fallback")
async def test_a_git_without_unix_sockets_is_served_by_an_interpreter(home: Path) -> None:
    answers = home / "s"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(answers))
    listener.listen()
    asked: list[bytes] = []

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as stream:
            asked.append(stream.read())
            connection.sendall(b"username=u\npassword=" + b"p" * 200_000 + b"\n\n")

    async with _tools(home, _git_without_sockets(home)) as tools:
        thread = threading.Thread(target=serve)
        thread.start()
        served = await run(
            [str(tools.helper), "get"],
            {"KANDEV_BROKER_SOCKET": str(answers), "PYTHONPATH": str(home), "PYTHONHOME": "/no"},
            QUESTION,
        )
        await asyncio.to_thread(thread.join)
        listener.close()
        answers.unlink()
        gone = await run([str(tools.helper), "get"], {"KANDEV_BROKER_SOCKET": str(answers)})
        stored = await run([str(tools.helper), "store"], {}, QUESTION)

    assert asked == [b"action=get\ntimeout=900\n" + QUESTION.encode()]
    assert (served.status, served.stdout) == (0, f"username=u\npassword={'p' * 200_000}\n\n")
    assert (gone.status, gone.stdout) == (1, "quit=1\n")
    assert (stored.status, stored.stdout, stored.stderr) == (0, "", "")


@requirement("broker:tools:agentctl")
async def test_agentctl_answers_as_the_configured_helper_does(desk: Desk) -> None:
    managed = await desk.instance()
    agentctl = str(managed.tools / "agentctl")

    got = await run([agentctl, "git-credential", "get"], managed.environment(), QUESTION)
    stored = await run([agentctl, "git-credential", "store"], managed.environment(), QUESTION)
    erased = await run([agentctl, "git-credential", "erase"], managed.environment(), QUESTION)

    assert (got.status, got.stdout) == (0, "username=x-access-token\npassword=s3cret\n\n")
    assert [(each.status, each.stdout) for each in (stored, erased)] == [(0, ""), (0, "")]


@requirement("broker:tools:agentctl")
@pytest.mark.parametrize("ruin", ["refused", "socket", "broker", "helper"])
async def test_agentctl_fails_when_there_is_no_credential(desk: Desk, ruin: str) -> None:
    managed = await desk.instance()
    if ruin == "refused":
        desk.desk.given.clear()
    elif ruin == "socket":
        managed.socket.path.unlink()
    elif ruin == "broker":
        await managed.socket.served.close()
    else:
        (managed.tools / HELPER_NAME).unlink()
    agentctl = str(managed.tools / "agentctl")

    got = await run([agentctl, "git-credential", "get"], managed.environment(), QUESTION)

    assert (got.status, got.stdout) == (1, "quit=1\n\n")


@requirement("broker:tools:agentctl")
@pytest.mark.parametrize("words", [[], ["git-credential"], ["serve"], ["git-credential", "a", "b"]])
async def test_agentctl_says_what_it_can_be_asked(desk: Desk, words: list[str]) -> None:
    managed = await desk.instance()

    asked = await run([str(managed.tools / "agentctl"), *words], managed.environment())

    assert asked.status == 2
    assert "usage: agentctl git-credential" in asked.stderr


@requirement("broker:tools:shell")
async def test_a_login_shell_that_sets_its_path_anew_finds_the_tools_first(desk: Desk) -> None:
    managed = await desk.instance()
    (desk.home / ".profile").write_text("PATH=/usr/bin:/bin\n", encoding="utf-8")
    hook = desk.home / "hook.sh"
    hook.write_text("HOOKED=yes PATH=/hooked:$PATH\n", encoding="utf-8")
    environment = managed.environment(
        BASH_ENV=str(managed.tools / "shell-start.sh"), KANDEV_PARENT_BASH_ENV=str(hook)
    )

    shell = await run(["bash", "-lc", 'command -v agentctl gh; echo "$HOOKED $PATH"'], environment)

    assert shell.stdout.splitlines() == [
        f"{managed.tools}/agentctl",
        f"{managed.tools}/gh",
        f"yes {managed.tools}:/hooked:/usr/bin:/bin",
    ]


@requirement("broker:tools:shell")
@pytest.mark.parametrize("path", ["", "/usr/bin:/bin"])
async def test_the_start_of_a_shell_works_under_strict_options(desk: Desk, path: str) -> None:
    managed = await desk.instance()
    start = managed.tools / "shell-start.sh"
    script = 'set -eu; . "$1"; . "$1"; echo "$PATH"'

    shell = await run(
        ["/bin/sh", "-c", script, "sh", str(start)],
        {**managed.socket.opened.variables, "PATH": path},
    )

    assert shell.stdout == f"{managed.tools}{':' * bool(path)}{path}\n"


@requirement("broker:tools:shell")
async def test_a_shell_outside_of_managed_access_keeps_its_path(desk: Desk) -> None:
    managed = await desk.instance()
    environment = {"PATH": "/usr/bin:/bin", "BASH_ENV": str(managed.tools / "shell-start.sh")}

    shell = await run(["bash", "-c", 'echo "$PATH"'], environment)

    assert shell.stdout == "/usr/bin:/bin\n"


GH = """#!/bin/sh
# The machine's gh: says how it was started.
printf '%s\\n' "$@"
echo "token=${GH_TOKEN-none} enterprise=${GH_ENTERPRISE_TOKEN-none} host=${GH_HOST-none}"
echo "ambient=${GITHUB_TOKEN-none}${GITHUB_ENTERPRISE_TOKEN-none}"
echo "config=$GH_CONFIG_DIR $(stat -c %a "$GH_CONFIG_DIR")"
touch "$GH_CONFIG_DIR/config.yml"
cat
echo warned >&2
[ -z "$GH_WAITS" ] || { echo up; exec sleep 60; }
exit "${GH_EXIT:-0}"
"""


@pytest.fixture
def machine_gh(home: Path) -> str:
    """The folder of the machine's own gh."""
    folder = home / "machine bin"
    folder.mkdir()
    gh = folder / "gh"
    gh.write_text(GH, encoding="utf-8")
    gh.chmod(0o700)
    return str(folder)


def _gh_environment(managed: Managed, machine_gh: str, **more: str) -> dict[str, str]:
    path = f"{managed.tools}:/nonexistent::.:{machine_gh}:{os.environ['PATH']}"
    ambient = {"GH_TOKEN": "ambient", "GITHUB_TOKEN": "ambient", "GH_ENTERPRISE_TOKEN": "ambient"}
    return {**managed.environment(), **ambient, "PATH": path, **more}


@requirement("broker:tools:gh")
async def test_gh_is_the_machines_own_with_the_leases_token_for_one_run(
    desk: Desk, machine_gh: str
) -> None:
    managed = await desk.instance()
    environment = _gh_environment(managed, machine_gh, GH_EXIT="7")
    words = ["pr", "create", "--title", "two words", ""]

    done = await run(["gh", *words], environment, "the body", desk.home)

    lines = done.stdout.splitlines()
    assert lines[:5] == words
    assert lines[5:7] == [f"token=s3cret enterprise=s3cret host={HOST}", "ambient=nonenone"]
    assert lines[7].startswith(f"config={managed.tools}/gh-")
    assert lines[7].endswith(" 700")
    assert lines[8:] == ["the body"]
    assert (done.status, done.stderr) == (7, "warned\n")
    assert {path.name for path in managed.tools.iterdir()} == NAMES


@requirement("broker:tools:gh")
async def test_each_run_of_gh_redeems_its_own_and_has_its_own_configuration(
    desk: Desk, machine_gh: str
) -> None:
    managed = await desk.instance()
    environment = _gh_environment(managed, machine_gh)
    done = await asyncio.gather(*(run(["gh", "api"], environment, "", desk.home) for _ in range(2)))

    assert len(desk.desk.asked) == 2
    assert len({each.stdout.splitlines()[3] for each in done}) == 2


@requirement("broker:tools:gh:bare")
@pytest.mark.parametrize("words", [[], ["--version"], ["pr", "--help"], ["help", "pr"]])
async def test_help_and_version_need_no_lease_and_get_no_token(
    desk: Desk, machine_gh: str, words: list[str]
) -> None:
    managed = await desk.instance()
    await managed.socket.close()

    done = await run(["gh", *words], _gh_environment(managed, machine_gh), "", desk.home)

    assert done.status == 0
    assert "token=none enterprise=none host=none\n" in done.stdout


@requirement("broker:tools:gh:choice")
@pytest.mark.parametrize(
    ("words", "more", "origin", "path"),
    [
        (["-R", "acme/gadgets"], {}, None, "/acme/gadgets"),
        (["-Racme/gadgets"], {}, None, "/acme/gadgets"),
        (["-R=acme/gadgets"], {}, None, "/acme/gadgets"),
        (["--repo", "forge.example/acme/gadgets"], {}, None, "/acme/gadgets"),
        (["--repo=https://forge.example/acme/gadgets.git"], {}, None, "/acme/gadgets"),
        (["--repo=git@forge.example:acme/gadgets.git"], {}, None, "/acme/gadgets"),
        (["-R", "acme/gadgets"], {"GH_REPO": "acme/widgets"}, None, "/acme/gadgets"),
        (["pr", "--", "-R", "acme/widgets"], {"GH_REPO": "acme/gadgets"}, None, "/acme/gadgets"),
        ([], {"GH_REPO": "acme/gadgets"}, "https://forge.example/acme/widgets", "/acme/gadgets"),
        ([], {}, "https://forge.example/acme/gadgets.git", "/acme/gadgets"),
        ([], {}, "ssh://git@forge.example:2222/acme/gadgets.git", "/acme/gadgets"),
        ([], {}, None, "/acme/widgets"),
    ],
)
async def test_the_repository_of_gh_is_named_by_its_words_its_environment_or_origin(
    desk: Desk,
    machine_gh: str,
    words: list[str],
    more: dict[str, str],
    origin: str | None,
    path: str,
) -> None:
    managed = await desk.instance(WIDGETS, GADGETS)
    desk.desk.given[HOST + "/acme/gadgets"] = desk.desk.given[HOST + "/acme/widgets"]
    checkout = desk.home / "checkout"
    subprocess.run(["git", "init", "-q", str(checkout)], check=True)
    if origin is not None:
        subprocess.run(["git", "-C", str(checkout), "remote", "add", "origin", origin], check=True)

    done = await run(
        ["gh", "pr", *words], _gh_environment(managed, machine_gh, **more), "", checkout
    )

    assert done.status == 0
    assert [asked.path for _, asked in desk.desk.asked] == [path]


@requirement("broker:tools:gh:choice")
@pytest.mark.parametrize(
    "words",
    [
        ["-R", "other/repo"],
        ["-R", "repo"],
        ["-R", "github.com/acme/widgets"],
        ["-R", "acme/widgets\nhost=evil.example"],
    ],
)
async def test_a_repository_without_a_lease_is_refused_and_gh_does_not_run(
    desk: Desk, machine_gh: str, words: list[str]
) -> None:
    managed = await desk.instance()

    done = await run(["gh", "pr", *words], _gh_environment(managed, machine_gh), "", desk.home)

    assert (done.status, done.stdout) == (1, "")
    assert done.stderr.startswith("gh: ")


@requirement("broker:tools:gh")
async def test_a_server_of_github_itself_gets_the_token_by_one_name(
    desk: Desk, machine_gh: str
) -> None:
    managed = await desk.instance(Lease("r1", "github.com", "/acme/widgets", "kdl_a", "kdc_a"))
    desk.desk.given["github.com/acme/widgets"] = desk.desk.given[HOST + "/acme/widgets"]

    done = await run(
        ["gh", "pr", "-R", "acme/widgets"], _gh_environment(managed, machine_gh), "", desk.home
    )

    assert "token=s3cret enterprise=none host=none\n" in done.stdout


@requirement("broker:tools:gh")
async def test_without_a_gh_on_the_machine_that_is_said(desk: Desk) -> None:
    managed = await desk.instance()
    environment = {**managed.environment(), "PATH": f"{managed.tools}:/nonexistent"}

    done = await run([str(managed.tools / "gh"), "pr"], environment, "", desk.home)

    assert (done.status, done.stderr) == (
        127,
        "gh: the GitHub CLI is not installed on this machine\n",
    )


@requirement("broker:tools:gh")
async def test_a_gh_that_is_ended_with_its_group_leaves_nothing(
    desk: Desk, machine_gh: str
) -> None:
    managed = await desk.instance()
    child = await asyncio.create_subprocess_exec(
        str(managed.tools / "gh"),
        "api",
        env=_gh_environment(managed, machine_gh, GH_WAITS="1"),
        cwd=desk.home,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    assert child.stdout is not None
    async with asyncio.timeout(20):
        while await child.stdout.readline() != b"up\n":
            pass
        os.killpg(child.pid, signal.SIGTERM)
        status = await child.wait()

    assert status == 128 + signal.SIGTERM
    assert {path.name for path in managed.tools.iterdir()} == NAMES


async def test_the_scripts_are_posix(desk: Desk) -> None:
    managed = await desk.instance()
    for name in NAMES:
        for shell in (["dash", "-n"], ["bash", "--posix", "-n"]):
            checked = await run([*shell, str(managed.tools / name)], os.environ)
            assert (checked.status, checked.stderr) == (0, "")
