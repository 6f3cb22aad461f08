"""The rows of access: the tokens that users made."""

from typing import ClassVar

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

__all__ = ("AccessTokenRow",)


class AccessTokenRow(SQLModel, table=True):
    """`digest` is the SHA-256 of the token's text; `scopes` are words with blanks between."""

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
