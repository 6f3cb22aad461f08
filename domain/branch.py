"""Names of branches and of the folders of a task, made from titles that people write."""

import re
import unicodedata

__all__ = ("MAX_SLUG", "branch_name", "slug")

MAX_SLUG = 48
"""The most characters that a title gives to a branch's name."""


def slug(text: str) -> str:
    """Lower-case ASCII letters and digits joined by single hyphens; `task` when none are left.

    What it gives satisfies git-check-ref-format(1) as one component.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    joined = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return joined[:MAX_SLUG].rstrip("-") or "task"


def branch_name(title: str, task: str) -> str:
    """`feature/<title>-<suffix>`, the suffix from the end of the task's id: stable for a task."""
    suffix = re.sub(r"[^a-z0-9]", "", task.lower())[-6:]
    return f"feature/{slug(title)}-{suffix}"
