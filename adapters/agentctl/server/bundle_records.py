"""What was put into workspaces, on disk, so that it is removed also after a crash of agentctl.

A record is there before the first name that it stands for, and goes after the last.
"""

import os
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec

__all__ = ("Record", "Records")


class Record(msgspec.Struct, frozen=True):
    """A bundle, or the stage of one, in the folder of a workspace.

    `agentctl` is the pid and start time of who put it there, `stage` the name of the unfinished
    file where it has one.
    """

    execution: str
    task: str
    workspace: str
    bundle: str
    stage: str
    at: datetime
    agentctl: tuple[int, int]

    @property
    def file(self) -> str:
        pid, started = self.agentctl
        return f"{pid}-{started}.{self.execution}.{self.stage}.json"


_FILE = re.compile(r"([0-9]+)-([0-9]+)\..+\.json")
_decode = msgspec.json.Decoder(Record).decode


class Records:
    """One small file each in `directory`, which is made when the first is written."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def left(self, lives: Callable[[int, int], bool]) -> Iterator[Record]:
        """Those of every agentctl that does not live; a torn one stands for nothing, and goes."""
        if not self._directory.is_dir():
            return
        for path in sorted(self._directory.iterdir()):
            name = _FILE.fullmatch(path.name)
            if name is None or lives(int(name[1]), int(name[2])):
                continue
            try:
                yield _decode(path.read_bytes())
            except msgspec.DecodeError:
                path.unlink(missing_ok=True)

    def put(self, record: Record) -> None:
        """Durable when this returns. Raises OSError."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        path = self._directory / record.file
        with path.open("wb") as file:
            file.write(msgspec.json.encode(record))
            file.flush()
            os.fsync(file.fileno())
        self._sync()

    def drop(self, record: Record) -> None:
        (self._directory / record.file).unlink(missing_ok=True)

    def _sync(self) -> None:
        descriptor = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
