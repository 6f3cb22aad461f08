"""Sentences for what only some may do with a workspace, and for members that it cannot have."""

from typing import TypeAlias, assert_never

from adapters.http.problem_details import Details, bad
from domain.access import OwnerOnly
from domain.membership import MAX_MEMBERS, OwnerStays, TooManyMembers

__all__ = ("MembershipSentence", "membership_details")

MembershipSentence: TypeAlias = OwnerOnly | OwnerStays | TooManyMembers


def membership_details(problem: MembershipSentence) -> Details:
    match problem:
        case OwnerOnly():
            text = "The owner of the workspace alone does this."
            return Details(403, "owner_only", "Refused", text, "Ask its owner.")
        case OwnerStays():
            text = "The owner of a workspace is no member of it."
            return bad("owner_stays", text, "Make another member its owner first.")
        case TooManyMembers():
            text = f"The workspace has {MAX_MEMBERS} members."
            return bad("too_many_members", text, "Remove one that does not work in it any more.")
        case _:
            assert_never(problem)
