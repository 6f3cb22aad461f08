"""What an agent says when it has done what its task asks: a summary, and what comes after."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.identity import SessionId, TaskId
from domain.outcome import Failure, Result, Success

__all__ = ("MAX_REPORT_BYTES", "InvalidReport", "StepReport", "StepWords", "check_words")

MAX_REPORT_BYTES: Final = 16 * 1024
"""The largest of each text of a report, in bytes of UTF-8."""


@dataclass(frozen=True, slots=True)
class StepWords:
    """`handoff` is for whoever goes on, `blockers` what stood in the way; either may be empty."""

    summary: str
    handoff: str = ""
    blockers: str = ""


@dataclass(frozen=True, slots=True)
class StepReport:
    """The last that an agent of the task gave."""

    task: TaskId
    session: SessionId
    words: StepWords
    at: datetime


@dataclass(frozen=True, slots=True)
class InvalidReport:
    """The summary is blank, or a text is over `MAX_REPORT_BYTES`."""


def check_words(words: StepWords) -> Result[StepWords, InvalidReport]:
    texts = (words.summary, words.handoff, words.blockers)
    sizes = [len(each.encode("utf-8", "surrogatepass")) for each in texts]
    if not words.summary.strip() or max(sizes) > MAX_REPORT_BYTES:
        return Failure(InvalidReport())
    return Success(words)
