"""The tools by which an agent asks its user, and a client answers for the user."""

from typing import Final

from adapters.mcp.answers import ClaimedAnswer, InquiryAnswer, PendingQuestions
from adapters.mcp.arguments import AnswerQuestion, AskUserQuestion, ListTasks
from adapters.mcp.backend import Backend
from adapters.mcp.problems import AnswerOrReject, ToolProblem
from adapters.mcp.reading import following, workspace_of
from adapters.mcp.tools import Progress
from domain.access import NotFound, acts_for_a_person
from domain.identity import InquiryId
from domain.inquiry import Choice, Question, Reply
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal

__all__ = ("answer_question", "ask_user", "pending_questions")

KEEP_ALIVE_SECONDS: Final = 20.0
"""A client that waits hears of it this often."""


async def ask_user(
    backend: Backend, principal: Principal, asked: AskUserQuestion, progress: Progress
) -> Result[InquiryAnswer, ToolProblem]:
    """Ask, and wait for as long as the client does."""
    questions = [
        Question(
            str(number),
            each.prompt,
            tuple(Choice(option.label, option.description) for option in each.options),
        )
        for number, each in enumerate(asked.questions, 1)
    ]
    stored = await backend.ask_user(principal, asked.context or "", questions)
    if failed(stored):
        return stored
    inquiry = stored.unwrap()
    with backend.answers.expected(inquiry.id) as wait:
        while inquiry.resolution is None:
            await progress("Waiting for the user to answer.")
            await wait(KEEP_ALIVE_SECONDS)
            async with backend.store.read() as state:
                found = await state.inquiry(inquiry.id)
            if found is None:
                return Failure(NotFound("question"))
            inquiry = found
    return Success(InquiryAnswer.of(inquiry))


async def pending_questions(
    backend: Backend, principal: Principal, asked: ListTasks
) -> Result[PendingQuestions, ToolProblem]:
    if not acts_for_a_person(principal):
        return Failure(NotFound("workspace"))
    async with backend.store.read() as state:
        workspace = await workspace_of(state, principal, asked.workspace_id)
        if failed(workspace):
            return workspace
        found = await state.open_inquiries(workspace.unwrap().id, asked.after, asked.limit)
    return Success(
        PendingQuestions(
            pending=[InquiryAnswer.of(each) for each in found],
            next_after=following(found, asked.limit),
        )
    )


async def answer_question(
    backend: Backend, principal: Principal, asked: AnswerQuestion
) -> Result[ClaimedAnswer, ToolProblem]:
    if bool(asked.answers) == (asked.reject_reason is not None):
        return Failure(AnswerOrReject())
    replies = [
        Reply(each.question_id, tuple(each.selected_options), each.custom_text or "")
        for each in asked.answers
    ]
    answered = await backend.answer_inquiry(
        principal, InquiryId(asked.pending_id), replies, asked.reject_reason
    )
    if failed(answered):
        return answered
    given = answered.unwrap()
    return Success(ClaimedAnswer(claimed=given.claimed, resolution=InquiryAnswer.of(given.inquiry)))
