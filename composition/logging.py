"""Logs of a process: redacted, in the file of the day and on standard error.

Standard output is for data. `structlog` stands in front, and what libraries log goes the same way.
"""

import logging
import traceback
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Final

import structlog
from structlog.typing import EventDict, WrappedLogger
from typing_extensions import override

from adapters.logs.logs import Logs, Thresholds
from adapters.redactor.registry import Registry
from composition.start_problem import Told
from domain.log_queue import Level
from ports.clock import Clock

__all__ = ("configure", "thresholds_of")

FAILURE_CHARACTERS: Final = 64 * 1024
"""Of what ends the process; where it was raised is at the end."""

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
    stack.push(_tell_failure)
    return logs


def _tell_failure(
    kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
) -> None:
    """What nobody expected ends the process: the log has it, cut to its end, before it closes."""
    if isinstance(error, Exception) and not isinstance(error, Told):
        told = "".join(traceback.format_exception(kind, error, trace))
        structlog.get_logger().critical("ended_by_failure", exception=told[-FAILURE_CHARACTERS:])


class _Libraries(logging.Handler):
    """What libraries log, from warnings on, traceback included."""

    def __init__(self, logs: Logs) -> None:
        super().__init__(logging.WARNING)
        self._logs = logs

    @override
    def emit(self, record: logging.LogRecord) -> None:
        level = max(each for each in Level if each <= record.levelno)
        self._logs.offer(level, {"event": self.format(record), "logger": record.name})
