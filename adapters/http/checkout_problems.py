"""Sentences for what is asked of a session's files and its git, in a form that is none."""

from typing import TypeAlias, assert_never

from adapters.http.problem_details import Details, bad
from domain.git_change import MAX_MESSAGE_BYTES, InvalidMessage
from domain.git_history import MAX_COMMITS, InvalidLimit
from domain.worktree_path import MAX_PATHS, InvalidPath

__all__ = ("CheckoutProblem", "checkout_details")

CheckoutProblem: TypeAlias = InvalidPath | InvalidMessage | InvalidLimit


def checkout_details(problem: CheckoutProblem) -> Details:
    match problem:
        case InvalidPath():
            text = "That is no path inside the worktree."
            return bad("invalid_path", text, f"Give relative paths, at most {MAX_PATHS}.")
        case InvalidMessage():
            remedy = f"Write a message of at most {MAX_MESSAGE_BYTES} bytes."
            return bad("invalid_message", "That is no message for a commit.", remedy)
        case InvalidLimit():
            remedy = f"Ask for 1 to {MAX_COMMITS}."
            return bad("invalid_limit", "That many commits cannot be listed.", remedy)
        case _:
            assert_never(problem)
