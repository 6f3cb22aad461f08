"""How much one call of a tool takes and gives: the context of a model is small."""

from collections.abc import Iterable
from typing import Final

__all__ = (
    "DEFAULT_CONVERSATION",
    "MAX_CONVERSATION",
    "MAX_CONVERSATION_BYTES",
    "MAX_ID",
    "MAX_ROWS",
    "MAX_TASK_REPOSITORIES",
    "MAX_TITLE",
    "fitting",
)

MAX_ID: Final = 128
"""Characters of an id at most."""
MAX_TITLE: Final = 60
"""Characters of the title that a tool gives to a task at most."""
MAX_ROWS: Final = 100
"""Rows of a list at most."""
MAX_TASK_REPOSITORIES: Final = 20
"""Repositories that a tool gives to a task at most."""
DEFAULT_CONVERSATION: Final = 50
MAX_CONVERSATION: Final = 200
"""Events of a conversation in one answer at most."""
MAX_CONVERSATION_BYTES: Final = 256 * 1024
"""Bytes of JSON of a conversation in one answer; one event that is larger comes alone."""


def fitting(sizes: Iterable[int], budget: int) -> int:
    """How many of the first items go within `budget` bytes together; never less than one."""
    total = taken = 0
    for size in sizes:
        total += size
        if taken and total > budget:
            break
        taken += 1
    return taken
