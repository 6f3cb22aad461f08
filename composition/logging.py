"""Logs of a process: JSON lines in a file of the home, redacted; standard output is for data."""

import logging
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import structlog
from structlog.typing import EventDict, WrappedLogger

from ports.redactor import Redactor

__all__ = ("configure",)

LOG_FILE: Final = "server.log"


def configure(folder: Path, redactor: Redactor, stack: AsyncExitStack) -> None:
    """Send what this process logs to the file, until the stack is closed."""
    file = (folder / LOG_FILE).open("a", encoding="utf-8", buffering=1)
    stack.callback(file.close)

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
    stack.callback(structlog.reset_defaults)


def _clean(value: object, redactor: Redactor) -> object:
    return redactor.redact(value) if isinstance(value, str) else value
