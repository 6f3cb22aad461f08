"""The rows of access: who works in a workspace, and the tokens that users made."""

from typing import ClassVar

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

__all__ = ("AccessTokenRow", "WorkspaceMemberRow")


class AccessTokenRow(SQLModel, table=True):
    """`digest` is the SHA-256 of the token's text; `scopes` are words with blanks between.

    So are the ids of the `workspaces` that it is limited to.
    """

    __tablename__ = "access_tokens"
    __table_args__: ClassVar = (
        UniqueConstraint("digest", name="uq_access_tokens_digest"),
        Index("ix_access_tokens_user", "user_id", "id"),
    )

    id: str = Field(primary_key=True)
    user_id: str
    name: str
    digest: str
    scopes: str
    created_at: str
    expires_at: str
    workspaces: str | None = None


class WorkspaceMemberRow(SQLModel, table=True):
    __tablename__ = "workspace_members"
    __table_args__: ClassVar = (Index("ix_workspace_members_user", "user_id", "workspace_id"),)

    workspace_id: str = Field(primary_key=True, foreign_key="workspaces.id", ondelete="CASCADE")
    user_id: str = Field(primary_key=True)
    since: str
