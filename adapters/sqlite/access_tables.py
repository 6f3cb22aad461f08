"""The rows of access: accounts, who works in a workspace, and the tokens that users made."""

from typing import ClassVar

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

__all__ = (
    "AccessTokenRow",
    "AccountPasswordRow",
    "AccountRow",
    "AuditRow",
    "InvitationRow",
    "SignInRow",
    "WorkspaceMemberRow",
)


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


class AccountRow(SQLModel, table=True):
    __tablename__ = "accounts"
    __table_args__: ClassVar = (UniqueConstraint("email", name="uq_accounts_email"),)

    id: str = Field(primary_key=True)
    email: str
    name: str
    role: str
    active: int
    created_at: str


class AccountPasswordRow(SQLModel, table=True):
    """`kept` is a string in PHC format, apart from the account: nobody who lists those reads it."""

    __tablename__ = "account_passwords"

    user_id: str = Field(primary_key=True, foreign_key="accounts.id", ondelete="CASCADE")
    kept: str


class SignInRow(SQLModel, table=True):
    """`digest` is the SHA-256 of the cookie."""

    __tablename__ = "sign_ins"
    __table_args__: ClassVar = (
        UniqueConstraint("digest", name="uq_sign_ins_digest"),
        Index("ix_sign_ins_user", "user_id", "id"),
    )

    id: str = Field(primary_key=True)
    user_id: str = Field(foreign_key="accounts.id", ondelete="CASCADE")
    digest: str
    agent: str
    created_at: str
    seen_at: str


class InvitationRow(SQLModel, table=True):
    """`digest` is the SHA-256 of the invitation's text."""

    __tablename__ = "invitations"
    __table_args__: ClassVar = (UniqueConstraint("digest", name="uq_invitations_digest"),)

    id: str = Field(primary_key=True)
    digest: str
    email: str | None
    role: str
    invited_by: str
    created_at: str
    expires_at: str


class AuditRow(SQLModel, table=True):
    """It refers to nothing: an entry outlives what it tells of."""

    __tablename__ = "audit_log"
    __table_args__: ClassVar = (
        Index("ix_audit_log_at", "at"),
        {"sqlite_autoincrement": True},
    )

    sequence: int | None = Field(default=None, primary_key=True)
    at: str
    deed: str
    actor: str
    user_id: str | None
    subject: str
    workspace_id: str | None
    detail: str
