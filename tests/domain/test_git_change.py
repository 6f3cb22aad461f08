"""Changes that a client asks for, checked before git runs."""

import pytest

from domain.branch import InvalidBranch
from domain.git_change import (
    MAX_MESSAGE_BYTES,
    Change,
    Commit,
    Discard,
    Fetch,
    InvalidMessage,
    Push,
    Stage,
    Unstage,
    check,
    command,
)
from domain.outcome import Failure, Success
from domain.worktree_path import InvalidPath
from tests.requirements import requirement


@requirement("session-git:arguments")
@pytest.mark.parametrize("paths", [(), ("",), ("/etc/passwd",), ("a/../../b",), (".git/config",)])
@pytest.mark.parametrize("kind", [Stage, Unstage, Discard])
def test_paths_stay_inside_the_worktree(
    kind: type[Stage | Unstage | Discard], paths: tuple[str, ...]
) -> None:
    assert check(kind(paths)) == Failure(InvalidPath())


@requirement("session-git:arguments")
@pytest.mark.parametrize("remote", ["--upload-pack=touch x", "ext::sh -c x", "https://h/r", ""])
@pytest.mark.parametrize("kind", [Fetch, Push])
def test_a_remote_is_a_name(kind: type[Fetch | Push], remote: str) -> None:
    assert check(kind(remote)) == Failure(InvalidBranch())


@pytest.mark.parametrize("message", ["", " \n", "a\0b", "x" * (MAX_MESSAGE_BYTES + 1)])
def test_a_message_is_text_within_its_bound(message: str) -> None:
    assert check(Commit(message)) == Failure(InvalidMessage())
    assert check(Commit("x" * MAX_MESSAGE_BYTES)) == Success(Commit("x" * MAX_MESSAGE_BYTES))


@requirement("session-git:arguments")
@pytest.mark.parametrize("change", [Stage(("--x", ":(top)y")), Unstage(("--x", ":(top)y"))])
def test_paths_are_read_from_stdin_and_are_no_patterns(change: Stage | Unstage) -> None:
    made = command(change, "")

    assert made.arguments[0] == "--literal-pathspecs"
    assert made.stdin == b"--x\0:(top)y"
    assert not any("x" in word for word in made.arguments if word.startswith("--x"))


@requirement("session-git:arguments")
def test_a_message_is_read_from_stdin() -> None:
    made = command(Commit("--amend"), "")

    assert made.stdin == b"--amend"
    assert "--amend" not in made.arguments


@requirement("session-git:arguments")
@pytest.mark.parametrize("change", [Fetch("a"), Push("a", with_lease=True)])
def test_a_remote_stands_behind_the_options(change: Change) -> None:
    assert not isinstance(change, Discard)
    made = command(change, "topic").arguments

    assert made[made.index("--") + 1] == "a"
    assert made[-1] in {"a", "refs/heads/topic:refs/heads/topic"}
