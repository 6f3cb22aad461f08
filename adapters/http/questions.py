"""Routes of what agents ask their user: what waits in a workspace, and the answer."""

from datetime import datetime
from typing import Annotated

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter, SkipValidation

from adapters.http.api import Api
from adapters.http.problems import RefusalError, accepted
from domain.access import NotFound
from domain.identity import InquiryId, WorkspaceId
from domain.inquiry import (
    MAX_INQUIRY_TEXT,
    MAX_OPTIONS,
    MAX_QUESTIONS,
    Inquiry,
    InvalidReply,
    Question,
    Reply,
    Resolution,
)
from domain.principal import Principal
from pipelines.authority import holds

__all__ = ("Questions",)

MAX_PAGE = 100

Text = Annotated[str, msgspec.Meta(max_length=MAX_INQUIRY_TEXT)]


class GivenReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Labels of options, words of the user's own, or both."""

    question_id: str
    selected_options: Annotated[list[Text], msgspec.Meta(max_length=MAX_OPTIONS)] = []
    custom_text: Text = ""


class GivenAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reply to each question; or the reason why there is none."""

    answers: Annotated[list[GivenReply], msgspec.Meta(max_length=MAX_QUESTIONS)] = []
    reject_reason: Text | None = None


class InquiryBody(msgspec.Struct, frozen=True):
    id: str
    task_id: str
    session_id: str
    context: str
    questions: tuple[Question, ...]
    asked_at: datetime
    resolution: Resolution | None

    @classmethod
    def of(cls, inquiry: Inquiry) -> "InquiryBody":
        return cls(
            inquiry.id,
            inquiry.task,
            inquiry.session,
            inquiry.context,
            inquiry.questions,
            inquiry.asked_at,
            inquiry.resolution,
        )


class AnsweredBody(msgspec.Struct, frozen=True):
    """`claimed` is false when somebody answered before: the resolution is theirs."""

    claimed: bool
    inquiry: InquiryBody


class Questions(Controller):
    path = "/api/v1"
    tags = ("questions",)

    @get("/workspaces/{workspace_id:str}/questions")
    async def pending(
        self,
        workspace_id: FromPath[str],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
        after: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=MAX_PAGE)] = MAX_PAGE,
    ) -> list[InquiryBody]:
        """What the agents of the workspace ask and nobody answered, by id."""
        async with api.store.read() as state:
            if not await holds(state, principal, WorkspaceId(workspace_id)):
                raise RefusalError(NotFound("workspace"))
            found = await state.open_inquiries(WorkspaceId(workspace_id), after, limit)
        return [InquiryBody.of(each) for each in found]

    @post("/questions/{question_id:str}/answer", status_code=200)
    async def answer(
        self,
        question_id: FromPath[str],
        data: JSONBody[GivenAnswer],
        api: NamedDependency[Api],
        principal: NamedDependency[SkipValidation[Principal]],
    ) -> AnsweredBody:
        """Answer for the user; the first answer stands."""
        if data.answers and data.reject_reason is not None:
            raise RefusalError(InvalidReply(data.answers[0].question_id))
        replies = [
            Reply(each.question_id, tuple(each.selected_options), each.custom_text)
            for each in data.answers
        ]
        answered = accepted(
            await api.answer_inquiry(principal, InquiryId(question_id), replies, data.reject_reason)
        )
        return AnsweredBody(answered.claimed, InquiryBody.of(answered.inquiry))
