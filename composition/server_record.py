"""Where the running server of a home is found: a file, checked before it is believed."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ("ServerRecord", "forget", "read", "write")

_NAME = "server.json"


@dataclass(frozen=True, slots=True)
class ServerRecord:
    url: str
    pid: int
    version: str


def write(home: Path, record: ServerRecord) -> None:
    """Replace the record atomically; owner only."""
    partial = home / f"{_NAME}.{record.pid}"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with Path(descriptor).open("w", encoding="utf-8") as file:
        json.dump(asdict(record), file)
    partial.replace(home / _NAME)


def forget(home: Path) -> None:
    (home / _NAME).unlink(missing_ok=True)


def read(home: Path) -> ServerRecord | None:
    """What is recorded; None when nothing readable is."""
    try:
        told = json.loads((home / _NAME).read_text(encoding="utf-8"))
        return ServerRecord(str(told["url"]), int(told["pid"]), str(told["version"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
