"""Names of branches and folders: made from titles that people write, or given by a client."""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from itertools import count

from domain.outcome import Failure, Result, Success

__all__ = (
    "MAX_BRANCH_BYTES",
    "MAX_SLUG",
    "InvalidBranch",
    "branch_name",
    "check_branch",
    "distinct",
    "slug",
)

MAX_SLUG = 48
"""The most characters that a title gives to a branch's name."""
MAX_BRANCH_BYTES = 250
"""Bytes of a branch's name in UTF-8: with git's `.lock` behind it, still the name of a file."""

_REFUSED = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|^[-/.]|[/.]$|^@$")


@dataclass(frozen=True, slots=True)
class InvalidBranch:
    """The text cannot be the name of a branch."""


def slug(text: str, most: int = MAX_SLUG) -> str:
    """Lower-case ASCII letters and digits joined by single hyphens; `task` when none are left.

    At most so many characters. What it gives satisfies git-check-ref-format(1) as one component.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    joined = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return joined[:most].rstrip("-") or "task"


def branch_name(title: str, task: str) -> str:
    """`feature/<title>-<suffix>`, the suffix from the end of the task's id: stable for a task."""
    suffix = re.sub(r"[^a-z0-9]", "", task.lower())[-6:]
    return f"feature/{slug(title)}-{suffix}"


def check_branch(name: str) -> Result[str, InvalidBranch]:
    """A name that git takes for a branch (git-check-ref-format(1), `--branch`), and no option."""
    size = len(name.encode("utf-8", "surrogatepass"))
    if not 0 < size <= MAX_BRANCH_BYTES or _REFUSED.search(name):
        return Failure(InvalidBranch())
    return Success(name)


def distinct(name: str, taken: Collection[str]) -> str:
    """The name, or the first of `<name>-2`, `<name>-3`, ... that is not taken."""
    if name not in taken:
        return name
    return next(each for each in (f"{name}-{number}" for number in count(2)) if each not in taken)
