"""What the process and its libraries log, from the call to the file."""

import json
import logging
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import structlog

from adapters.logs.logs import Thresholds
from adapters.redactor.registry import Registry
from adapters.system.clock import SystemClock
from composition.logging import FAILURE_CHARACTERS, configure, thresholds_of
from composition.start_problem import CannotStart
from domain.log_queue import Level
from domain.redaction import Redactor
from domain.secret import Secret
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("sinks:levels")
@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, Thresholds(Level.INFO, Level.WARN)),
        ({"KANDEV_LOG_LEVEL": "debug"}, Thresholds(Level.DEBUG, Level.WARN)),
        ({"KANDEV_LOG_LEVEL": "ERROR"}, Thresholds(Level.ERROR, Level.WARN)),
        ({"KANDEV_LOG_LEVEL": "loud"}, Thresholds(Level.INFO, Level.WARN)),
        ({"KANDEV_CONSOLE_LOG_LEVEL": "info"}, Thresholds(Level.INFO, Level.INFO)),
        ({"KANDEV_CONSOLE_LOG_LEVEL": "debug"}, Thresholds(Level.INFO, Level.WARN)),
        ({"KANDEV_LOGGING_FORMAT": "json"}, Thresholds(Level.INFO, Level.WARN, json=True)),
    ],
)
def test_the_environment_says_what_each_sink_takes(
    environment: dict[str, str], expected: Thresholds
) -> None:
    assert thresholds_of(environment) == expected


@requirement("sinks:redacted")
async def test_what_is_logged_by_us_and_by_libraries_is_in_the_file_without_secrets(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    registry = Registry(Redactor())
    registry.register(Secret("correct horse battery"))
    async with AsyncExitStack() as stack:
        configure(tmp_path, SystemClock(), registry, Thresholds(), stack)
        log = structlog.get_logger()
        log.debug("not for the file")
        log.info("one", said="correct horse battery", path=tmp_path)
        with structlog.contextvars.bound_contextvars(task="t1"):
            log.warning("two")
        try:
            int("correct horse battery")
        except ValueError:
            log.exception("three")
        logging.getLogger("library").warning("four %s", "correct horse battery")
        logging.getLogger("library").info("not for the file")

    lines = entries(tmp_path)
    assert [line["event"] for line in lines] == ["one", "two", "three", "four [REDACTED]"]
    assert [line["level"] for line in lines] == ["info", "warn", "error", "warn"]
    assert lines[0]["path"] == str(tmp_path)
    assert lines[1]["task"] == "t1"
    assert (
        "ValueError: invalid literal for int() with base 10: '[REDACTED]'" in lines[2]["exception"]
    )
    assert lines[3]["logger"] == "library"
    said = capfd.readouterr()
    assert said.out == ""
    assert [line.split()[1] for line in said.err.splitlines()] == ["warn", "error", "warn"]
    assert "horse" not in said.err + (tmp_path / "backend-logs.log").read_text()


async def ending(folder: Path, registry: Registry, error: BaseException) -> None:
    async with AsyncExitStack() as stack:
        configure(folder, SystemClock(), registry, Thresholds(), stack)
        structlog.get_logger().info("before")
        raise error


@requirement("sinks:fatal")
async def test_a_failure_that_ends_the_process_is_the_last_entry(tmp_path: Path) -> None:
    registry = Registry(Redactor())
    registry.register(Secret("correct horse battery"))
    with pytest.raises(ValueError, match="correct"):
        await ending(tmp_path, registry, ValueError("correct horse battery" + "x" * 100_000))

    first, last = entries(tmp_path)
    assert (first["event"], last["event"], last["level"]) == ("before", "ended_by_failure", "fatal")
    assert len(last["exception"]) <= FAILURE_CHARACTERS
    assert "horse" not in last["exception"]


@requirement("sinks:fatal")
@pytest.mark.parametrize("end", [CannotStart("taken", "taken", ""), KeyboardInterrupt()])
async def test_an_end_that_is_told_otherwise_is_no_failure(
    tmp_path: Path, end: BaseException
) -> None:
    with pytest.raises(type(end)):
        await ending(tmp_path, Registry(Redactor()), end)

    assert [entry["event"] for entry in entries(tmp_path)] == ["before"]


def entries(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "backend-logs.log").read_text().splitlines()
    return [json.loads(line) for line in lines]
