"""Templates for the branches of a repository's tasks: words of the task between literal text.

A name depends on the template and the task alone, so it is the same at every start.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from domain.branch import MAX_SLUG, branch_name, check_branch, slug
from domain.outcome import Failure, Result, Success, failed
from domain.task import Task

__all__ = (
    "MAX_ID",
    "MAX_TITLE",
    "PLACEHOLDERS",
    "SUFFIX",
    "InvalidTemplate",
    "TemplateProblem",
    "UnknownPlaceholder",
    "branch_of",
    "check_template",
)

MAX_TITLE: Final = 80
"""The most characters of `{title_full}`; `{title}` has `domain.branch.MAX_SLUG`."""
MAX_ID: Final = 40
"""The most characters of `{task_id}`, and of `{ticket}` and `{issue_key}`."""
SUFFIX: Final = 6
"""The most characters of `{suffix}`, from the end of the task's id."""

_LONGEST: Final = {
    "title": MAX_SLUG,
    "title_full": MAX_TITLE,
    "task_id": MAX_ID,
    "suffix": SUFFIX,
    "ticket": MAX_ID,
    "issue_key": MAX_ID,
}
PLACEHOLDERS: Final = tuple(_LONGEST)
"""The names that stand in braces."""

_PARTS: Final = re.compile(r"\{([^{}]*)\}|([^{}]+)|([{}])")
_LITERAL: Final = re.compile(r"[A-Za-z0-9._/-]*")


@dataclass(frozen=True, slots=True)
class UnknownPlaceholder:
    """What stands in braces is none of `PLACEHOLDERS`."""

    name: str


@dataclass(frozen=True, slots=True)
class InvalidTemplate:
    """What it makes cannot be the name of a branch, or not with the longest words."""


TemplateProblem: TypeAlias = UnknownPlaceholder | InvalidTemplate


def check_template(template: str) -> Result[str, TemplateProblem]:
    """A template that names a branch for every task; an empty one is the default.

    Its literal text is of ASCII letters, digits and `._/-`, and begins with no `-`.
    """
    if not template:
        return Success(template)
    longest = []
    for placeholder, literal in _parts(template):
        if placeholder is not None and placeholder not in _LONGEST:
            return Failure(UnknownPlaceholder(placeholder))
        if not _LITERAL.fullmatch(literal):
            return Failure(InvalidTemplate())
        longest.append(literal if placeholder is None else "x" * _LONGEST[placeholder])
    name = "".join(longest)
    if failed(check_branch(name)) or name == "HEAD":
        return Failure(InvalidTemplate())
    return Success(template)


def branch_of(template: str, task: Task) -> str:
    """The branch of the task: always a name that git takes.

    `feature/<title>-<suffix>` without a template, and where a word of the task and the text around
    it make no name together.
    """
    usual = branch_name(task.title, task.id)
    if not template or failed(check_template(template)):
        return usual
    words = _words(task)
    name = "".join(
        literal if placeholder is None else words[placeholder]
        for placeholder, literal in _parts(template)
    )
    return usual if failed(check_branch(name)) else name


def _words(task: Task) -> dict[str, str]:
    """Each of lower-case letters and digits, joined by single hyphens, and never empty."""
    key = slug(task.id, MAX_ID)
    ticket = key if task.external_id is None else slug(task.external_id, MAX_ID)
    return {
        "title": slug(task.title),
        "title_full": slug(task.title, MAX_TITLE),
        "task_id": key,
        "suffix": re.sub(r"[^a-z0-9]", "", task.id.lower())[-SUFFIX:] or "task",
        "ticket": ticket,
        "issue_key": ticket,
    }


def _parts(template: str) -> Iterator[tuple[str | None, str]]:
    """Each placeholder with an empty text, each text without a placeholder; a lone brace is one."""
    for match in _PARTS.finditer(template):
        name, literal, brace = match.groups()
        yield (name or "", "") if literal is None and brace is None else (None, literal or brace)
