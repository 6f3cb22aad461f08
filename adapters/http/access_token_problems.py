"""Sentences for access tokens that cannot be made."""

from typing import TypeAlias, assert_never

from adapters.http.problem_details import Details, bad
from domain.access_token import (
    MAX_LIFE_DAYS,
    MAX_WORKSPACES,
    InvalidLife,
    InvalidLimits,
    InvalidScopes,
)

__all__ = ("AccessTokenSentence", "access_token_details")

AccessTokenSentence: TypeAlias = InvalidScopes | InvalidLife | InvalidLimits


def access_token_details(problem: AccessTokenSentence) -> Details:
    match problem:
        case InvalidScopes():
            text = "Those are no scopes of a token."
            return bad("invalid_scopes", text, "Use `read`, `write` or both.")
        case InvalidLife(days=days):
            text = f"A token cannot last {days} days."
            return bad("invalid_life", text, f"Use 1 to {MAX_LIFE_DAYS} days.")
        case InvalidLimits(count=count):
            text = f"A token cannot be limited to {count} workspaces."
            return bad("invalid_limits", text, f"Name 1 to {MAX_WORKSPACES}, or none for all.")
        case _:
            assert_never(problem)
