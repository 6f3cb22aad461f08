import asyncio
import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from adapters.git.process import LocalGit
from adapters.process.table import snapshot
from domain.git_command import MAX_STDERR_BYTES, MAX_STDOUT_BYTES
from domain.git_failure import GitCode, GitFailure
from domain.git_remedies import remedy
from domain.outcome import Result, failed
from domain.secret import Secret
from ports.git import Completed
from tests.adapters.git.conftest import Git
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

SECONDS = 20.0


def _code(outcome: Result[Completed, GitFailure]) -> GitCode:
    assert failed(outcome)
    return outcome.failure().code


def _running(argument: str) -> list[int]:
    """The processes that have `argument` among their own."""
    found = []
    for process in snapshot():
        pid = process.identity.pid
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if argument.encode() in words:
            found.append(pid)
    return found


@requirement("git:command:redirects")
async def test_what_redirects_git_is_taken_away(
    git: LocalGit, host: dict[str, str], repository: Path, tmp_path: Path, run: Git
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run(elsewhere, "init", "--quiet")
    hostile = {
        "GIT_DIR": str(elsewhere / ".git"),
        "GIT_WORK_TREE": str(elsewhere),
        "GIT_INDEX_FILE": str(elsewhere / "index"),
        "GIT_OBJECT_DIRECTORY": str(elsewhere / "objects"),
        "GIT_COMMON_DIR": str(elsewhere / ".git"),
        "GIT_NAMESPACE": "evil",
        "GIT_PREFIX": "evil/",
    }

    looked = await git(
        ["log", "--format=%s", "HEAD"],
        directory=str(repository),
        environment=host | hostile,
        seconds=SECONDS,
    )
    top = await git(
        ["rev-parse", "--show-toplevel"],
        directory=str(repository),
        environment=host | hostile,
        seconds=SECONDS,
    )

    assert looked.unwrap().stdout == "Begin\n"
    assert top.unwrap().stdout == f"{repository}\n"


@requirement("git:command:environment")
async def test_git_sees_the_environment_it_is_given_and_never_asks(
    git: LocalGit, host: dict[str, str], repository: Path
) -> None:
    given = host | {
        "HOOK_SETTING": "kept",
        "SSH_ASKPASS": "/bin/ask",
        "LC_ALL": "de_DE.UTF-8",
        "GIT_TERMINAL_PROMPT": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "alias.show-environment",
        "GIT_CONFIG_VALUE_0": "!env -0",
    }

    said = await git(
        ["show-environment"], directory=str(repository), environment=given, seconds=SECONDS
    )

    seen = dict(line.split("=", 1) for line in said.unwrap().stdout.split("\0") if line)
    assert seen["HOOK_SETTING"] == "kept"
    assert seen["GIT_CONFIG_COUNT"] == "1"
    assert (seen["LC_ALL"], seen["GIT_TERMINAL_PROMPT"]) == ("C", "0")
    assert "SSH_ASKPASS" not in seen
    assert not os.environ.keys() & seen.keys() - given.keys() - {"PWD", "SHLVL", "_", "GIT_EDITOR"}


@requirement("git:command:isolated")
async def test_an_isolated_command_ignores_the_system_and_the_user(
    git: LocalGit, host: dict[str, str], tmp_path: Path
) -> None:
    system = tmp_path / "system"
    system.write_text("[alias]\n\tsystem = true\n", encoding="utf-8")
    environment = host | {"GIT_CONFIG_SYSTEM": str(system), "GIT_CONFIG_NOSYSTEM": "0"}
    arguments = ["config", "--list"]

    isolated, open_one = [
        await git(
            arguments,
            directory=str(tmp_path),
            environment=environment,
            seconds=SECONDS,
            isolated=alone,
        )
        for alone in (True, False)
    ]

    assert isolated.unwrap().stdout == ""
    assert "user.name=Ada" in open_one.unwrap().stdout
    assert "alias.system=true" in open_one.unwrap().stdout


@requirement("git:command:input")
async def test_standard_input_reaches_git_whole(
    git: LocalGit, host: dict[str, str], repository: Path, run: Git
) -> None:
    text = b"line\n" * 500_000

    hashed = await git(
        ["hash-object", "--stdin"],
        directory=str(repository),
        environment=host,
        seconds=SECONDS,
        stdin=text,
    )

    (repository / "copy").write_bytes(text)
    assert hashed.unwrap().stdout.strip() == run(repository, "hash-object", "copy")


@requirement("git:command:output-bound")
@pytest.mark.parametrize("excess", [0, 1])
async def test_output_is_bounded(
    git: LocalGit, host: dict[str, str], repository: Path, excess: int
) -> None:
    (repository / "big").write_bytes(b"x" * (MAX_STDOUT_BYTES + excess))

    shown = await git(
        ["-c", "alias.show-big=!cat big", "show-big"],
        directory=str(repository),
        environment=host,
        seconds=SECONDS,
    )

    if excess:
        assert _code(shown) is GitCode.TOO_MUCH_OUTPUT
    else:
        assert len(shown.unwrap().stdout) == MAX_STDOUT_BYTES


@requirement("git:command:error-bound")
async def test_the_end_of_standard_error_is_kept_in_whole_lines(
    git: LocalGit, host: dict[str, str], repository: Path
) -> None:
    secret = "hunter2hunter2hunter2"
    git.redactor.register(Secret(secret))
    (repository / "words").write_text(
        f"{secret}\n" * (MAX_STDERR_BYTES // len(secret)) + "last words\n", encoding="utf-8"
    )

    spoken = await git(
        ["-c", "alias.speak=!cat words >&2", "speak"],
        directory=str(repository),
        environment=host,
        seconds=SECONDS,
    )

    stderr = spoken.unwrap().stderr
    assert stderr.endswith("last words\n")
    assert len(stderr.splitlines()) > 100
    assert "hunter" not in stderr


@requirement("git:command:redacted")
async def test_a_failure_carries_no_secret(
    git: LocalGit, host: dict[str, str], repository: Path
) -> None:
    secret = "hunter2hunter2hunter2"
    git.redactor.register(Secret(secret))

    outcome = await git(
        ["checkout", secret], directory=str(repository), environment=host, seconds=SECONDS
    )

    assert failed(outcome)
    assert "did not match any file" in outcome.failure().detail
    assert secret not in outcome.failure().detail


@requirement("git:command:time-limit")
async def test_a_command_past_its_time_is_ended_with_its_group(
    git: LocalGit, host: dict[str, str], repository: Path, tmp_path: Path
) -> None:
    mark = str(tmp_path)

    outcome = await git(
        ["-c", f"alias.dawdle=!sleep 60 & sh -c 'sleep 60' '{mark}'", "dawdle"],
        directory=str(repository),
        environment=host,
        seconds=0.3,
    )

    assert _code(outcome) is GitCode.TIMEOUT
    assert _running(mark) == []


@requirement("git:command:cancel")
async def test_a_cancelled_command_is_ended_with_its_group(
    git: LocalGit, host: dict[str, str], repository: Path
) -> None:
    started = repository / "started"
    os.mkfifo(started)
    mark = str(started)
    script = f"sh -c 'echo > $0; sleep 60; :' '{mark}' & sleep 60"
    waiting = asyncio.ensure_future(
        git(
            ["-c", f"alias.dawdle=!{script}", "dawdle"],
            directory=str(repository),
            environment=host,
            seconds=60,
        )
    )
    async with asyncio.timeout(SECONDS):
        await asyncio.to_thread(started.read_bytes)
    assert _running(mark)

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert _running(mark) == []


@requirement("git:command:failures")
async def test_a_machine_without_git_is_told(
    git: LocalGit, repository: Path, tmp_path: Path
) -> None:
    outcome = await git(
        ["status"], directory=str(repository), environment={"PATH": str(tmp_path)}, seconds=SECONDS
    )

    assert _code(outcome) is GitCode.MISSING


@requirement("git:command:failures")
@pytest.mark.parametrize(
    ("arguments", "extra", "code"),
    [
        (["rev-parse", "--verify", "nowhere"], {}, GitCode.UNKNOWN_BRANCH),
        (["worktree", "add", "../more", "main"], {}, GitCode.BRANCH_IN_USE),
        (["worktree", "add", "-b", "main", "../more"], {}, GitCode.EXISTS),
        (["push", "../remote.git", "main"], {}, GitCode.NON_FAST_FORWARD),
        (["fetch", "../nothing.git"], {}, GitCode.NOT_FOUND),
        (["status"], {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}, GitCode.DUBIOUS_OWNERSHIP),
        (["add", "README"], {}, GitCode.LOCK_HELD),
    ],
)
async def test_a_failure_has_its_code(
    git: LocalGit,
    host: dict[str, str],
    repository: Path,
    run: Git,
    arguments: list[str],
    extra: Mapping[str, str],
    code: GitCode,
) -> None:
    run(repository, "clone", "--quiet", "--bare", ".", "../remote.git")
    run(repository, "commit", "--quiet", "--amend", "--message=Otherwise")
    (repository / ".git" / "index.lock").touch()

    outcome = await git(
        arguments, directory=str(repository), environment=host | dict(extra), seconds=SECONDS
    )

    assert _code(outcome) is code


@requirement("git:command:ownership")
async def test_a_repository_of_another_user_is_told_with_both_users(
    git: LocalGit, host: dict[str, str], repository: Path
) -> None:
    user = os.geteuid()
    owner = user or 65534  # only root can give it to someone
    os.chown(repository, owner, -1)

    outcome = await git(
        ["status"],
        directory=str(repository),
        environment=host | {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"},
        seconds=SECONDS,
    )

    failure = outcome.failure()
    assert failure.code is GitCode.DUBIOUS_OWNERSHIP
    told = re.fullmatch(r"(.*) belongs to (.*), and git runs as (.*)", failure.detail)
    assert told is not None
    assert told[1] == str(repository)
    assert (str(owner) in told[2], str(user) in told[3]) == (True, True)
    assert "safe.directory" not in failure.detail + remedy(failure.code)


@requirement("git:command:malformed")
async def test_a_malformed_list_is_refused_before_git_starts(
    git: LocalGit, host: dict[str, str], repository: Path
) -> None:
    block = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "planted.key"}

    outcome = await git(
        ["init", "started"], directory=str(repository), environment=host | block, seconds=SECONDS
    )

    failure = outcome.failure()
    assert failure.code is GitCode.MALFORMED_ENVIRONMENT
    assert "GIT_CONFIG_VALUE_0" in failure.detail
    assert "planted" not in failure.detail
    assert not (repository / "started").exists()


@requirement("git:command:failures")
@pytest.mark.parametrize("directory", ["nowhere", "plain"])
async def test_a_directory_that_is_no_repository_is_told(
    git: LocalGit, host: dict[str, str], tmp_path: Path, directory: str
) -> None:
    (tmp_path / "plain").mkdir()

    outcome = await git(
        ["rev-parse", "HEAD"],
        directory=str(tmp_path / directory),
        environment=host,
        seconds=SECONDS,
    )

    assert _code(outcome) is GitCode.NOT_A_REPOSITORY
