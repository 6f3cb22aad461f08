"""Setup and cleanup scripts: placeholders, what is run at all, and how much output is kept.

`{{name}}` becomes a value as one complete word of the POSIX shell, so authors add no quotes of
their own. The text is read once: what a value contains is never expanded.
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

__all__ = (
    "CLEANUP_TIMEOUT",
    "MAX_SCRIPT_BYTES",
    "OUTPUT_BYTES",
    "SETUP_TIMEOUT",
    "TOLD_BYTES",
    "FailurePolicy",
    "Output",
    "Placeholder",
    "expand",
    "is_blank",
    "keep_tail",
    "quote",
    "unknown",
)

SETUP_TIMEOUT = timedelta(minutes=10)
CLEANUP_TIMEOUT = timedelta(minutes=5)

MAX_SCRIPT_BYTES = 64 * 1024
"""The longest script, in bytes of UTF-8; expanded it is one argument of a shell, which Linux holds
to 128 KiB (execve(2))."""

OUTPUT_BYTES = 10 * 1024
"""How much of a script's output is stored; it is the end, where the cause of a failure stands."""

TOLD_BYTES = 256 * 1024
"""How much of a script's output is told while it runs; what comes after that is only kept."""

_MAX_CONTINUATIONS = 3
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+(?:\.[a-z_]+)*)\}\}")


class Placeholder(StrEnum):
    """The names that a script of a repository may use."""

    REPOSITORY_PATH = "repository.path"
    REPOSITORY_NAME = "repository.name"
    REPOSITORY_BRANCH = "repository.branch"
    WORKSPACE_PATH = "workspace.path"
    WORKTREE_PATH = "worktree.path"
    WORKTREE_BRANCH = "worktree.branch"
    WORKTREE_BASE_BRANCH = "worktree.base_branch"
    GIT_USER_NAME = "git.user_name"
    GIT_USER_EMAIL = "git.user_email"


class FailurePolicy(StrEnum):
    """What a failed setup script means for the launch, chosen for each repository."""

    CONTINUE = "continue"
    BLOCK = "block"


class Output(NamedTuple):
    """The end of what a script wrote, and how many bytes stood before it."""

    text: bytes
    omitted_bytes: int


def quote(value: str) -> str:
    """One word of the shell, whatever it contains."""
    if "\0" in value:
        raise ValueError("no word of a shell contains NUL")
    return "'" + value.replace("'", "'\"'\"'") + "'"


def expand(
    template: str, values: Mapping[str, str], fragments: Mapping[str, str] | None = None
) -> str:
    """Replace placeholders by quoted values, or by fragments of script that are used as they are.

    A name in neither stays as it is written, so that a mistake shows.
    """
    scripts = fragments or {}

    def replacement(match: re.Match[str]) -> str:
        name = match[1]
        if name in scripts:
            return scripts[name]
        return quote(values[name]) if name in values else match[0]

    return _PLACEHOLDER.sub(replacement, template)


def unknown(template: str) -> tuple[str, ...]:
    """The names in a script that are no placeholders, once each, for a warning when it is saved."""
    known = frozenset(Placeholder)
    return tuple(
        name for name in dict.fromkeys(_PLACEHOLDER.findall(template)) if name not in known
    )


def is_blank(script: str) -> bool:
    """Whether nothing would run: only blank lines and comments."""
    lines = (line.strip() for line in script.splitlines())
    return all(not line or line.startswith("#") for line in lines)


def keep_tail(output: bytes, bound: int = OUTPUT_BYTES) -> Output:
    """The last `bound` bytes, less the rest of a character that was cut."""
    start = max(0, len(output) - bound)
    for _ in range(_MAX_CONTINUATIONS):
        if 0 < start < len(output) and output[start] & 0xC0 == 0x80:
            start += 1
    return Output(output[start:], start)
