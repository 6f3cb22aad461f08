"""Logs of a process: JSON lines, redacted, in a file of the home or on standard error.

Standard output is for data.
"""

import logging
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final, TextIO

import structlog
from structlog.typing import EventDict, WrappedLogger
from typing_extensions import override

from ports.redactor import Redactor

__all__ = ("configure", "to_stderr")

LOG_FILE: Final = "server.log"


def configure(folder: Path, redactor: Redactor, stack: AsyncExitStack) -> None:
    """Send what this process logs to the file, until the stack is closed."""
    file = (folder / LOG_FILE).open("a", encoding="utf-8", buffering=1)
    stack.callback(file.close)
    _write_to(file, redactor)
    stack.callback(structlog.reset_defaults)


def to_stderr(redactor: Redactor) -> None:
    """Send what this process and its libraries log to standard error, for as long as it runs."""
    _write_to(sys.stderr, redactor)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Redacted(redactor))
    logging.getLogger().addHandler(handler)


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
