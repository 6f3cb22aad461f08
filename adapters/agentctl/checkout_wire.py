"""What agentctl says of a checkout: of its git and its files, and how it differs when it is new."""

import msgspec

from domain.checkout_file import FileFailure
from domain.git_failure import GitFailure
from domain.parity import Difference

__all__ = ("FileAnswer", "GitAnswer", "Parity")


class GitAnswer(msgspec.Struct, frozen=True):
    """What git did (a value of `domain.git_status`, `git_diff`, ...), or why it failed."""

    value: msgspec.Raw = msgspec.Raw(b"null")
    failure: GitFailure | None = None


class FileAnswer(msgspec.Struct, frozen=True):
    """A value of `domain.checkout_file`, or why it could not be."""

    value: msgspec.Raw = msgspec.Raw(b"null")
    failure: FileFailure | None = None
    git: GitFailure | None = None


class Parity(msgspec.Struct, frozen=True):
    """The body of an event: how a new worktree of the repository differs from a fresh checkout."""

    repository: str
    differences: tuple[Difference, ...]
    status: str = "parity"
