"""The names of things: opaque ids that mypy keeps apart."""

from typing import NewType

__all__ = (
    "ConnectionId",
    "ExecutionId",
    "InquiryId",
    "InvitationId",
    "LeaseId",
    "ProfileId",
    "PromptId",
    "QueuedId",
    "RepositoryId",
    "SessionId",
    "SignInId",
    "TaskId",
    "TokenId",
    "TurnId",
    "UserId",
    "WorkspaceId",
)

UserId = NewType("UserId", str)
TokenId = NewType("TokenId", str)
SignInId = NewType("SignInId", str)
InvitationId = NewType("InvitationId", str)
WorkspaceId = NewType("WorkspaceId", str)
ConnectionId = NewType("ConnectionId", str)
ProfileId = NewType("ProfileId", str)
PromptId = NewType("PromptId", str)
RepositoryId = NewType("RepositoryId", str)
TaskId = NewType("TaskId", str)
SessionId = NewType("SessionId", str)
ExecutionId = NewType("ExecutionId", str)
TurnId = NewType("TurnId", str)
QueuedId = NewType("QueuedId", str)
InquiryId = NewType("InquiryId", str)
LeaseId = NewType("LeaseId", str)
