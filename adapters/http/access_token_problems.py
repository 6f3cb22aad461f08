"""Sentences for access tokens that cannot be made."""

from typing import TypeAlias, assert_never

from adapters.http.problem_details import Details, bad
from domain.access_token import MAX_LIFE_DAYS, InvalidLife, InvalidScopes

__all__ = ("AccessTokenSentence", "access_token_details")

AccessTokenSentence: TypeAlias = InvalidScopes | InvalidLife


def access_token_details(problem: AccessTokenSentence) -> Details:
    match problem:
        case InvalidScopes():
            text = "Those are no scopes of a token."
            return bad("invalid_scopes", text, "Use `read`, `write` or both.")
        case InvalidLife(days=days):
            text = f"A token cannot last {days} days."
            return bad("invalid_life", text, f"Use 1 to {MAX_LIFE_DAYS} days.")
        case _:
            assert_never(problem)
