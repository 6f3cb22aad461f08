"""What agentctl answers of the git and the files of a checkout: a value, or why there is none."""

import msgspec

from domain.checkout_file import FileFailure
from domain.git_failure import GitFailure

__all__ = ("FileAnswer", "GitAnswer")


class GitAnswer(msgspec.Struct, frozen=True):
    """What git did (a value of `domain.git_status`, `git_diff`, ...), or why it failed."""

    value: msgspec.Raw = msgspec.Raw(b"null")
    failure: GitFailure | None = None


class FileAnswer(msgspec.Struct, frozen=True):
    """A value of `domain.checkout_file`, or why it could not be."""

    value: msgspec.Raw = msgspec.Raw(b"null")
    failure: FileFailure | None = None
    git: GitFailure | None = None
