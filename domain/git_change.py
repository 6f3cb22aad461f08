"""What a client may have git change in a checkout: each a value that is checked before git runs.

Paths are taken literally and read from stdin, a message is read from stdin, and what stays on the
command line has the form of a branch: nothing that a client writes can become an option.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from domain.branch import InvalidBranch, check_branch
from domain.outcome import Failure, Result, Success, failed
from domain.worktree_path import InvalidPath, check_paths

__all__ = (
    "CHANGE_SECONDS",
    "LOOK_SECONDS",
    "MAX_MESSAGE_BYTES",
    "MAX_OUTPUT_CHARACTERS",
    "Change",
    "ChangeProblem",
    "Command",
    "Commit",
    "Discard",
    "Done",
    "Fetch",
    "InvalidMessage",
    "Push",
    "Stage",
    "Unstage",
    "check",
    "command",
)

MAX_MESSAGE_BYTES: Final = 64 * 1024
"""A commit's message in UTF-8."""
MAX_OUTPUT_CHARACTERS: Final = 16 * 1024
"""What is told of the words of git and of its hooks: the end of them."""
LOOK_SECONDS: Final = 30.0
"""For a question about a checkout."""
CHANGE_SECONDS: Final = 900.0
"""For a change, with the hooks of the repository and the network."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What these paths are now goes to the index; without paths, everything."""

    paths: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Unstage:
    """The index has these paths as HEAD has them; the files stay as they are."""

    paths: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Discard:
    """Files and index have these paths as HEAD has them; what goes is kept in a ref first."""

    paths: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """What is staged; with `everything`, what is changed in files that git tracks as well."""

    message: str
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Fetch:
    remote: str = "origin"


@dataclass(frozen=True, slots=True)
class Push:
    """The branch that is checked out, to its name at the remote.

    `with_lease` replaces what the remote has, if that is what was fetched last.
    """

    remote: str = "origin"
    with_lease: bool = False


Change: TypeAlias = Stage | Unstage | Discard | Commit | Fetch | Push


@dataclass(frozen=True, slots=True)
class InvalidMessage:
    """A message is not blank, holds no NUL and has at most `MAX_MESSAGE_BYTES`."""


ChangeProblem: TypeAlias = InvalidPath | InvalidMessage | InvalidBranch


@dataclass(frozen=True, slots=True)
class Done:
    """What a change did: HEAD after it, the ref that keeps what was discarded, git's last words."""

    commit: str | None
    kept: str | None
    output: str


@dataclass(frozen=True, slots=True)
class Command:
    arguments: tuple[str, ...]
    stdin: bytes = b""


_QUIET: Final = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")
"""Nothing of git's goes on when the command has ended."""
_LISTED: Final = ("--pathspec-from-file=-", "--pathspec-file-nul")


def check(change: Change) -> Result[Change, ChangeProblem]:
    match change:
        case Stage(paths=paths) | Unstage(paths=paths) | Discard(paths=paths):
            if paths is not None and failed(check_paths(paths)):
                return Failure(InvalidPath())
        case Commit(message=message):
            if not message.strip() or "\0" in message or len(message.encode()) > MAX_MESSAGE_BYTES:
                return Failure(InvalidMessage())
        case Fetch(remote=remote) | Push(remote=remote):
            if failed(check_branch(remote)):
                return Failure(InvalidBranch())
        case _:
            assert_never(change)
    return Success(change)


def command(change: Stage | Unstage | Commit | Fetch | Push, branch: str) -> Command:
    """The command for a change that was checked; `branch` is what is checked out."""
    match change:
        case Stage(paths=paths):
            return _on(("add", "--all"), paths)
        case Unstage(paths=paths):
            return _on(("reset", "--quiet"), paths)
        case Commit(message=message, everything=everything):
            whole = ("--all",) if everything else ()
            said = message.encode()
            return Command((*_QUIET, "commit", "--quiet", *whole, "--file=-"), said)
        case Fetch(remote=remote):
            return Command((*_QUIET, "fetch", "--prune", "--", remote))
        case Push(remote=remote, with_lease=with_lease):
            lease = ("--force-with-lease",) if with_lease else ()
            refspec = f"refs/heads/{branch}:refs/heads/{branch}"
            return Command((*_QUIET, "push", "--set-upstream", *lease, "--", remote, refspec))
        case _:
            assert_never(change)


def _on(words: tuple[str, ...], paths: tuple[str, ...] | None) -> Command:
    """Of everything too, so that no merge that is under way is forgotten."""
    if paths is None:
        return Command((*words, "--", "."))
    listed = "\0".join(paths).encode()
    return Command(("--literal-pathspecs", *words, *_LISTED), listed)
