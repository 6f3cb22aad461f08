"""What is on disk of an instance beside its log, so that a killed agentctl leaves no orphan."""

from pathlib import Path
from typing import Final

import msgspec

__all__ = ("NAME", "Record", "read", "write")

NAME: Final = "instance.json"


class Record(msgspec.Struct, frozen=True):
    """Whose instance it is, which agentctl hosts it, its agent once that was started.

    `beside` is what runs beside the agent. Processes are named by pid and start time (proc(5),
    field 22).
    """

    execution: str
    task: str
    session: str
    agentctl: tuple[int, int]
    agent: tuple[int, int] | None = None
    beside: list[tuple[int, int]] = []


def write(directory: Path, record: Record) -> None:
    """Replace the record, whole or not at all. Raises `OSError`."""
    partial = directory / f".{NAME}"
    partial.write_bytes(msgspec.json.encode(record))
    partial.replace(directory / NAME)


def read(directory: Path) -> Record | None:
    """The record, or None when there is none that can be read."""
    try:
        return msgspec.json.decode((directory / NAME).read_bytes(), type=Record)
    except (OSError, msgspec.DecodeError):
        return None
