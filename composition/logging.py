"""Logs of a process: redacted, in the file of the day and on standard error.

Standard output is for data. `structlog` stands in front, and what libraries log goes the same way.
"""

import logging
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final, TextIO

import structlog
from structlog.typing import EventDict, WrappedLogger
from typing_extensions import override

from adapters.logs.logs import Logs, Thresholds
from adapters.redactor.registry import Registry
from domain.log_queue import Level
from ports.clock import Clock
from ports.redactor import Redactor

__all__ = ("configure", "thresholds_of", "to_stderr")

_WORDS: Final = {
    "debug": Level.DEBUG,
    "info": Level.INFO,
    "warn": Level.WARN,
    "warning": Level.WARN,
    "error": Level.ERROR,
    "exception": Level.ERROR,
    "fatal": Level.FATAL,
    "critical": Level.FATAL,
}


def thresholds_of(environment: Mapping[str, str]) -> Thresholds:
    """`KANDEV_LOG_LEVEL` for the file, `KANDEV_CONSOLE_LOG_LEVEL` and `KANDEV_LOGGING_FORMAT`.

    The file takes `info` and more unless it names another level; the console takes warnings and
    more unless it says `info`, in words unless the format is `json`.
    """
    file = _WORDS.get(environment.get("KANDEV_LOG_LEVEL", "").lower(), Level.INFO)
    console = environment.get("KANDEV_CONSOLE_LOG_LEVEL", "").lower()
    return Thresholds(
        file,
        Level.INFO if console == "info" else Level.WARN,
        json=environment.get("KANDEV_LOGGING_FORMAT", "").lower() == "json",
    )


def configure(
    folder: Path, clock: Clock, redactor: Registry, thresholds: Thresholds, stack: AsyncExitStack
) -> Logs:
    """Send what this process and its libraries log to both sinks, until the stack is closed."""
    logs = Logs(folder, clock, redactor.mask, thresholds)
    logs.start()
    stack.callback(logs.close)
    handler = _Libraries(logs)
    root = logging.getLogger()
    root.addHandler(handler)
    stack.callback(root.removeHandler, handler)

    def deliver(_: WrappedLogger, method: str, event: EventDict) -> EventDict:
        logs.offer(_WORDS.get(method, Level.INFO), event)
        raise structlog.DropEvent

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.format_exc_info,
            deliver,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(int(logs.lowest)),
        cache_logger_on_first_use=False,
    )
    stack.callback(structlog.reset_defaults)
    return logs


def to_stderr(redactor: Redactor) -> None:
    """Send what this process and its libraries log to standard error, for as long as it runs."""
    _write_to(sys.stderr, redactor)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Redacted(redactor))
    logging.getLogger().addHandler(handler)


class _Libraries(logging.Handler):
    """What libraries log, from warnings on, traceback included."""

    def __init__(self, logs: Logs) -> None:
        super().__init__(logging.WARNING)
        self._logs = logs

    @override
    def emit(self, record: logging.LogRecord) -> None:
        level = max(each for each in Level if each <= record.levelno)
        self._logs.offer(level, {"event": self.format(record), "logger": record.name})


class _Redacted(logging.Formatter):
    """What libraries log, traceback included."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._redactor = redactor

    @override
    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.redact(super().format(record))


def _write_to(file: TextIO, redactor: Redactor) -> None:
    def redact(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        return {name: _clean(value, redactor) for name, value in event.items()}

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            redact,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.WriteLoggerFactory(file),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=False,
    )


def _clean(value: object, redactor: Redactor) -> object:
    return redactor.redact(value) if isinstance(value, str) else value
