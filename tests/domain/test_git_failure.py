"""What git's own words tell about why it failed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.git_failure import GitCode, classify, distrusted

WORDS = [
    ("fatal: write error: No space left on device", GitCode.DISK_FULL),
    ("error: unable to write file: Disk quota exceeded", GitCode.DISK_FULL),
    (
        "fatal: detected dubious ownership in repository at '/srv/app'\nTo add an exception",
        GitCode.DUBIOUS_OWNERSHIP,
    ),
    ("fatal: 'topic' is already checked out at '/srv/tree'", GitCode.BRANCH_IN_USE),
    ("fatal: 'topic' is already used by worktree at '/srv/tree'", GitCode.BRANCH_IN_USE),
    (
        "fatal: Unable to create '/srv/app/.git/index.lock': File exists.\n\nAnother git process",
        GitCode.LOCK_HELD,
    ),
    ("error: cannot lock ref 'refs/heads/a': is at 1 but expected 2", GitCode.LOCK_HELD),
    ("fatal: Authentication failed for 'https://forge.example/a/b'", GitCode.AUTHENTICATION),
    (
        "fatal: could not read Username for 'https://forge.example': terminal prompts disabled",
        GitCode.AUTHENTICATION,
    ),
    ("fatal: unable to access 'x': The requested URL returned error: 403", GitCode.AUTHENTICATION),
    ("git@forge.example: Permission denied (publickey).", GitCode.AUTHENTICATION),
    (
        "fatal: unable to access 'x': SSL certificate problem: unable to get local issuer",
        GitCode.CERTIFICATE,
    ),
    (
        "fatal: unable to access 'x': server certificate verification failed. CAfile: none",
        GitCode.CERTIFICATE,
    ),
    ("fatal: unable to access 'x': Could not resolve host: forge.example", GitCode.UNREACHABLE),
    (
        "fatal: unable to access 'x': Failed to connect to forge.example port 443",
        GitCode.UNREACHABLE,
    ),
    (" ! [rejected]        main -> main (non-fast-forward)", GitCode.NON_FAST_FORWARD),
    (" ! [rejected]        main -> main (fetch first)", GitCode.NON_FAST_FORWARD),
    (" ! [rejected]        main -> main (stale info)", GitCode.NON_FAST_FORWARD),
    (" ! [remote rejected] main -> main (pre-receive hook declined)", GitCode.REMOTE_REJECTED),
    ("*** Please tell me who you are.\n\nRun", GitCode.NO_IDENTITY),
    ("fatal: empty ident name (for <>) not allowed", GitCode.NO_IDENTITY),
    ("error: Committing is not possible because you have unmerged files.", GitCode.UNMERGED),
    ("file: unmerged (0123)\nfatal: git-write-tree: error building trees", GitCode.UNMERGED),
    ("On branch main\nnothing to commit, working tree clean", GitCode.NOTHING_TO_COMMIT),
    ("On branch main\nno changes added to commit (use", GitCode.NOTHING_TO_COMMIT),
    ("warning: refname 'a' is ambiguous.", GitCode.AMBIGUOUS),
    ("fatal: Remote branch gone not found in upstream origin", GitCode.UNKNOWN_BRANCH),
    ("fatal: couldn't find remote ref refs/heads/gone", GitCode.UNKNOWN_BRANCH),
    ("fatal: invalid reference: origin/gone", GitCode.UNKNOWN_BRANCH),
    ("fatal: Needed a single revision", GitCode.UNKNOWN_BRANCH),
    ("fatal: bad revision 'gone'", GitCode.UNKNOWN_BRANCH),
    (
        "remote: Not Found\nfatal: repository 'https://forge.example/a/' not found",
        GitCode.NOT_FOUND,
    ),
    ("fatal: '/gone' does not appear to be a git repository", GitCode.NOT_FOUND),
    (
        "fatal: not a git repository (or any of the parent directories): .git",
        GitCode.NOT_A_REPOSITORY,
    ),
    ("fatal: could not create work tree dir 'x': Read-only file system", GitCode.READ_ONLY),
    ("fatal: a branch named 'topic' already exists", GitCode.EXISTS),
    ("fatal: something that nobody has seen", GitCode.FAILED),
    ("", GitCode.FAILED),
]


@pytest.mark.parametrize(("stderr", "code"), WORDS)
def test_a_message_has_its_code(stderr: str, code: GitCode) -> None:
    assert classify(stderr).code is code


@pytest.mark.parametrize(
    ("stderr", "code"),
    [
        (
            "error: unable to write: No space left on device\nfatal: Authentication failed for 'x'",
            GitCode.DISK_FULL,
        ),
        (
            "fatal: Authentication failed for 'x'\nfatal: repository 'x' not found",
            GitCode.AUTHENTICATION,
        ),
        (
            "git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.",
            GitCode.AUTHENTICATION,
        ),
    ],
)
def test_the_most_specific_sign_counts(stderr: str, code: GitCode) -> None:
    assert classify(stderr).code is code


def test_the_detail_is_the_end_of_what_git_said_and_bounded() -> None:
    lines = [f"line {number}" for number in range(20)]

    assert classify("\n".join(lines)).detail == "\n".join(lines[-6:])
    assert len(classify("x" * 5000).detail) == 1000


@given(st.text())
def test_whatever_git_says_there_is_a_code_and_a_bounded_detail(stderr: str) -> None:
    told = classify(stderr)

    assert told.code in GitCode
    assert len(told.detail) <= 1000


def test_the_repository_that_is_not_trusted_is_named() -> None:
    assert distrusted("fatal: detected dubious ownership in repository at '/srv/a b'") == "/srv/a b"
    assert distrusted("fatal: not a git repository") is None
