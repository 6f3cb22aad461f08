"""The log of a process: one sink for the file of the day and one for standard error.

Neither waits for the other and nobody waits for either. A file that cannot be written is said once
on standard error and tried again; the process goes on.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.logs.console import Console
from adapters.logs.crc_track import TrackedFile
from adapters.logs.daily import DailyFile, FileKey
from adapters.logs.lines import json_line, text_line
from adapters.logs.sink import Mask, Sink, SinkState
from domain.log_queue import CONSOLE_QUEUE, DRAIN_SECONDS, FILE_QUEUE, Level
from domain.log_retention import REOPEN_AFTER
from ports.clock import Clock

__all__ = ("FLUSH_SECONDS", "Logs", "Thresholds")

FLUSH_SECONDS: Final = 1.0
"""How long evidence waits for what was logged before it was asked for."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which level on each sink takes an entry; `json` makes the console's lines JSON."""

    file: Level = Level.INFO
    console: Level = Level.WARN
    json: bool = False


class Logs:
    """Both sinks, from `start` to `close`."""

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        mask: Mask,
        thresholds: Thresholds,
        descriptor: int = 2,
    ) -> None:
        self.folder = folder
        self.thresholds = thresholds
        self._to_file, self._to_console = thresholds.file, thresholds.console
        self._clock = clock
        self._daily = DailyFile(folder, clock, self._file_failed)
        self.file = Sink("file", FILE_QUEUE, self._daily, mask)
        self.console = Sink("console", CONSOLE_QUEUE, Console(descriptor), mask)

    @property
    def lowest(self) -> Level:
        """Below this nobody listens."""
        return min(self.thresholds.file, self.thresholds.console)

    def start(self) -> None:
        self.file.start()
        self.console.start()

    def offer(self, level: Level, fields: Mapping[str, object]) -> None:
        """Log one entry; `fields` are its event and whatever else there is to say."""
        stamped = {"timestamp": self._clock.now(), "level": level.word, **fields}
        encoded = json_line(stamped)
        if level >= self._to_file:
            self.file.offer(level, encoded)
        if level >= self._to_console:
            self.console.offer(level, encoded if self.thresholds.json else text_line(stamped))

    def written(self) -> Mapping[FileKey, TrackedFile]:
        """What is known of the files that this process wrote."""
        return self._daily.known

    def states(self) -> tuple[SinkState, SinkState]:
        return self.file.state(), self.console.state()

    def close(self) -> None:
        """Write what was taken, for two seconds in all; whatever is left then is counted."""
        deadline = time.monotonic() + DRAIN_SECONDS
        self.file.close(deadline)
        self.console.close(deadline)

    def _file_failed(self, reason: str) -> None:
        self.console.offer(
            Level.ERROR,
            text_line({
                "timestamp": self._clock.now(),
                "level": Level.ERROR.word,
                "event": "log_file_not_written",
                "reason": reason,
                "retry_seconds": int(REOPEN_AFTER.total_seconds()),
            }),
        )
