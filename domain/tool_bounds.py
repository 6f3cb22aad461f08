"""How much one call of a tool takes and gives: the context of a model is small."""

from collections.abc import Iterable
from typing import Final

from domain.task import MAX_PROMPT_BYTES

__all__ = (
    "DEFAULT_CONVERSATION",
    "MAX_CALLS",
    "MAX_CONNECTIONS",
    "MAX_CONVERSATION",
    "MAX_CONVERSATION_BYTES",
    "MAX_ID",
    "MAX_LISTED_SESSIONS",
    "MAX_LISTED_TASKS",
    "MAX_MESSAGE_BYTES",
    "MAX_ROWS",
    "MAX_STREAMS",
    "MAX_SUBSCRIBED",
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
MAX_LISTED_TASKS: Final = 25
"""Tasks whose resources are in one answer at most."""
MAX_LISTED_SESSIONS: Final = 10
"""Conversations of one task in a list of resources at most: the newest."""
MAX_STREAMS: Final = 128
"""Streams of changes that one server tells on at once; one more is refused."""
MAX_SUBSCRIBED: Final = 256
"""Resources that one client is told of at most."""
MAX_TASK_REPOSITORIES: Final = 20
"""Repositories that a tool gives to a task at most."""
DEFAULT_CONVERSATION: Final = 50
MAX_CONVERSATION: Final = 200
"""Events of a conversation in one answer at most."""
MAX_CONVERSATION_BYTES: Final = 256 * 1024
"""Bytes of JSON of a conversation in one answer; one event that is larger comes alone."""
MAX_MESSAGE_BYTES: Final = 6 * MAX_PROMPT_BYTES + 64 * 1024
"""The largest message of the protocol: a prompt at its bound, each byte of it escaped as six
(RFC 8259, section 7), with room for the rest."""
MAX_CONNECTIONS: Final = 32
"""Clients of one agent at once; one more is turned away."""
MAX_CALLS: Final = 128
"""Calls of one client without an answer; one more is refused."""


def fitting(sizes: Iterable[int], budget: int) -> int:
    """How many of the first items go within `budget` bytes together; never less than one."""
    total = taken = 0
    for size in sizes:
        total += size
        if taken and total > budget:
            break
        taken += 1
    return taken
