"""What an agent asks its user: up to four questions at once, answered together or not at all.

The first answer stands; whoever answers later is given it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from domain.identity import InquiryId, SessionId, TaskId
from domain.outcome import Failure, Result, Success

__all__ = (
    "MAX_INQUIRY_TEXT",
    "MAX_OPTIONS",
    "MAX_QUESTIONS",
    "MIN_OPTIONS",
    "Choice",
    "Inquiry",
    "InvalidReply",
    "Question",
    "Reply",
    "Resolution",
    "check_replies",
    "resolved",
    "told",
)

MAX_QUESTIONS: Final = 4
MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = 6
MAX_INQUIRY_TEXT: Final = 4000
"""Characters of each text of an inquiry, and of each reply."""


@dataclass(frozen=True, slots=True)
class Choice:
    label: str
    description: str


@dataclass(frozen=True, slots=True)
class Question:
    """`id` is its place in the inquiry, from 1."""

    id: str
    prompt: str
    options: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """Labels of options, words of the user's own, or both."""

    question: str
    selected: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Resolution:
    """A reply to each question, in their order; or none, and why the user gives none."""

    replies: tuple[Reply, ...]
    rejection: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Inquiry:
    id: InquiryId
    task: TaskId
    session: SessionId
    context: str
    questions: tuple[Question, ...]
    asked_at: datetime
    resolution: Resolution | None = None


@dataclass(frozen=True, slots=True)
class InvalidReply:
    """The question of this id is not answered once, or with what it does not offer."""

    question: str


def check_replies(
    inquiry: Inquiry, replies: Sequence[Reply]
) -> Result[tuple[Reply, ...], InvalidReply]:
    """The replies in the order of the questions, each answered once."""
    given = {each.question: each for each in replies}
    known = [each.id for each in inquiry.questions]
    stray = next((each.question for each in replies if each.question not in known), None)
    if stray is not None or len(given) != len(replies):
        return Failure(InvalidReply(stray or replies[0].question))
    for each in inquiry.questions:
        reply = given.get(each.id)
        labels = {option.label for option in each.options}
        if (
            reply is None
            or not labels.issuperset(reply.selected)
            or not (reply.selected or reply.text.strip())
        ):
            return Failure(InvalidReply(each.id))
    return Success(tuple(given[each] for each in known))


def resolved(inquiry: Inquiry, resolution: Resolution) -> Inquiry:
    """The inquiry with its first resolution, which stands."""
    return inquiry if inquiry.resolution is not None else replace(inquiry, resolution=resolution)


def told(inquiry: Inquiry) -> str:
    """The resolution in words, for an agent that does not wait for it any more."""
    resolution = inquiry.resolution
    if resolution is None:
        return "Your questions have no answer yet."
    if resolution.rejection is not None:
        return f"The user does not answer your questions. {resolution.rejection}".strip()
    lines = ["The user has answered your questions."]
    for question, reply in zip(inquiry.questions, resolution.replies, strict=True):
        words = "; ".join([*reply.selected, *([reply.text] if reply.text else [])])
        lines.append(f"{question.prompt}\n{words}")
    return "\n\n".join(lines)
