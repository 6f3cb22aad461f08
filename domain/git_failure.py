"""Why a git command of ours failed, told from its exit code and its words.

git's messages are read with `LC_ALL=C`. What is not recognised is `FAILED`, never a guess.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

__all__ = ("GitCode", "GitFailure", "classify", "distrusted")


class GitCode(StrEnum):
    """Stable on the wire."""

    AUTHENTICATION = "git_authentication"
    NOT_FOUND = "git_not_found"
    UNREACHABLE = "git_unreachable"
    CERTIFICATE = "git_certificate"
    BRANCH_IN_USE = "git_branch_in_use"
    UNKNOWN_BRANCH = "git_unknown_branch"
    AMBIGUOUS = "git_ambiguous"
    NON_FAST_FORWARD = "git_non_fast_forward"
    DUBIOUS_OWNERSHIP = "git_dubious_ownership"
    LOCK_HELD = "git_lock_held"
    NOT_A_REPOSITORY = "git_not_a_repository"
    EXISTS = "git_exists"
    DISK_FULL = "disk_full"
    READ_ONLY = "git_read_only"
    NOTHING_TO_COMMIT = "git_nothing_to_commit"
    UNMERGED = "git_unmerged"
    NO_IDENTITY = "git_no_identity"
    NO_BRANCH = "git_no_branch"
    REMOTE_REJECTED = "git_remote_rejected"
    CHANGED_MEANWHILE = "git_changed_meanwhile"
    TIMEOUT = "git_timeout"
    TOO_MUCH_OUTPUT = "git_too_much_output"
    MALFORMED_ENVIRONMENT = "malformed_environment"
    MISSING = "git_missing"
    FAILED = "git_failed"


@dataclass(frozen=True, slots=True)
class GitFailure:
    """`detail` is git's own last words, bounded and redacted by who ran it.

    Of a repository that git does not trust it names the two users instead.
    """

    code: GitCode
    detail: str


_SIGNS: tuple[tuple[GitCode, re.Pattern[str]], ...] = tuple(
    (code, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for code, pattern in (
        # Where a write fails, and not the making of a file, git does not say why.
        (
            GitCode.DISK_FULL,
            r"No space left on device|Disk quota exceeded|unable to write (file|new index file)",
        ),
        (GitCode.DUBIOUS_OWNERSHIP, r"detected dubious ownership"),
        (
            GitCode.BRANCH_IN_USE,
            r"is already (checked out|used by worktree) at|cannot force update the branch",
        ),
        (GitCode.LOCK_HELD, r"Unable to create '.*\.lock': File exists|cannot lock ref"),
        (
            GitCode.AUTHENTICATION,
            (
                r"Authentication failed|could not read (Username|Password)|told us to quit"
                r"|returned error: 40[13]|Permission denied \("
            ),
        ),
        (
            GitCode.CERTIFICATE,
            r"SSL certificate problem|certificate verif|server certificate verification failed",
        ),
        (
            GitCode.UNREACHABLE,
            (
                r"Could not resolve host|Failed to connect|Connection (refused|timed out|reset)"
                r"|unable to connect"
            ),
        ),
        (
            GitCode.NON_FAST_FORWARD,
            r"non-fast-forward|\[rejected\]|fetch first|\(stale info\)",
        ),
        (GitCode.REMOTE_REJECTED, r"\[remote rejected\]"),
        (GitCode.NO_IDENTITY, r"Please tell me who you are|empty ident name"),
        (GitCode.UNMERGED, r"unmerged files|unmerged paths|: unmerged \("),
        (
            GitCode.NOTHING_TO_COMMIT,
            r"^(nothing to commit|no changes added to commit|nothing added to commit)",
        ),
        (GitCode.AMBIGUOUS, r"is ambiguous|matched multiple"),
        (
            GitCode.UNKNOWN_BRANCH,
            (
                r"Remote branch .* not found|couldn't find remote ref|invalid reference"
                r"|not a valid object name|unknown revision|Needed a single revision|bad revision"
            ),
        ),
        (
            GitCode.NOT_FOUND,
            (
                r"repository '.*' not found|returned error: 404"
                r"|does not appear to be a git repository|repository .* does not exist"
            ),
        ),
        (GitCode.NOT_A_REPOSITORY, r"not a git repository"),
        (GitCode.READ_ONLY, r"Read-only file system|Permission denied"),
        (GitCode.EXISTS, r"already exists"),
    )
)


_DISTRUSTED = re.compile(r"detected dubious ownership in repository at '(.*)'")


def distrusted(stderr: str) -> str | None:
    """The path of the repository whose owner git does not trust."""
    found = _DISTRUSTED.search(stderr)
    return found[1] if found else None


def classify(stderr: str) -> GitFailure:
    """The first sign that the text shows, the most specific first."""
    detail = "\n".join(stderr.strip().splitlines()[-6:])[-1000:]
    code = next((code for code, sign in _SIGNS if sign.search(stderr)), GitCode.FAILED)
    return GitFailure(code, detail)
