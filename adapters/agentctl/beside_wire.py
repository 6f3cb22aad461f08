"""What is said about what runs beside an agent, and to whoever looks at a terminal.

What is typed and shown travels beside it, as bytes.
"""

from typing import Final

import msgspec

__all__ = (
    "CROWDED",
    "MALFORMED",
    "NO_TERMINAL",
    "Command",
    "Ended",
    "Lost",
    "Resize",
    "Size",
)

NO_TERMINAL: Final = 4404
"""The code that a stream is closed with where there is no such terminal."""

CROWDED: Final = 4409
"""The code that a stream is closed with where too many look already."""

MALFORMED: Final = 4400
"""The code that a stream is closed with after a message that means nothing, or is too long."""


class Command(msgspec.Struct, frozen=True):
    """A background command for the shell; `folder` is below the agent's directory."""

    command: str
    folder: str = ""


class Size(msgspec.Struct, frozen=True):
    columns: int
    rows: int


class Resize(msgspec.Struct, frozen=True, tag_field="type", tag="resize"):
    """Of whoever looks at a terminal: it has another size now."""

    columns: int
    rows: int


class Lost(msgspec.Struct, frozen=True, tag_field="type", tag="lost"):
    """To whoever looks at a terminal: so many bytes went by."""

    bytes: int


class Ended(msgspec.Struct, frozen=True, tag_field="type", tag="ended"):
    """To whoever looks at a terminal, last: its program has ended."""

    exit: int | None
    signal: int | None
