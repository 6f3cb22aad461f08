"""Ask the user: an agent's questions are stored, and the first answer to them stands.

An answer that comes when the agent does not wait any more goes to it as a message.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from domain.access import NotFound
from domain.identity import InquiryId
from domain.inquiry import (
    Inquiry,
    InvalidReply,
    Question,
    Reply,
    Resolution,
    check_replies,
    resolved,
    told,
)
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Execution, Principal
from pipelines.authority import task_for
from pipelines.prompt_queue import QueuePrompt
from ports.answers import Answers
from ports.clock import Clock
from ports.ids import Ids
from ports.store import Store

__all__ = ("AnswerInquiry", "AnswerProblem", "Answered", "AskUser")

AnswerProblem: TypeAlias = NotFound | InvalidReply


@dataclass(frozen=True, slots=True)
class AskUser:
    store: Store
    clock: Clock
    ids: Ids

    async def __call__(
        self, principal: Principal, context: str, questions: Sequence[Question]
    ) -> Result[Inquiry, NotFound]:
        """Store what an agent asks, for its own session; nobody else asks."""
        if not isinstance(principal, Execution):
            return Failure(NotFound("session"))
        inquiry = Inquiry(
            InquiryId(self.ids.new("question")),
            principal.task,
            principal.session,
            context,
            tuple(questions),
            self.clock.now(),
        )
        async with self.store.write() as unit:
            session = await unit.session(principal.session)
            if session is None or session.task != principal.task:
                return Failure(NotFound("session"))
            await unit.put_inquiry(inquiry)
        return Success(inquiry)


@dataclass(frozen=True, slots=True)
class Answered:
    """`claimed` is whether this answer is the one that stands."""

    inquiry: Inquiry
    claimed: bool


@dataclass(frozen=True, slots=True)
class AnswerInquiry:
    store: Store
    answers: Answers
    queue: QueuePrompt
    clock: Clock

    async def __call__(
        self,
        principal: Principal,
        inquiry: InquiryId,
        replies: Sequence[Reply],
        rejection: str | None,
    ) -> Result[Answered, AnswerProblem]:
        """Answer with a reply to each question, or reject all of them for a reason."""
        async with self.store.write() as unit:
            found = await unit.inquiry(inquiry)
            if found is None or await task_for(unit, principal, found.task) is None:
                return Failure(NotFound("question"))
            if found.resolution is not None:
                return Success(Answered(found, claimed=False))
            checked = check_replies(found, replies) if rejection is None else None
            if checked is not None and failed(checked):
                return checked
            given = checked.unwrap() if checked is not None else ()
            answered = resolved(found, Resolution(given, rejection, self.clock.now()))
            await unit.put_inquiry(answered)
        if not self.answers.given(inquiry):
            await self.queue(principal, found.session, told(answered))
        return Success(Answered(answered, claimed=True))
