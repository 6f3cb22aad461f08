"""Who may use the control plane as a person does.

Data belongs to workspaces. Today an installation has one owner, for whom people and their tokens
act; an execution has none of that authority, whatever its agent names in an argument.
"""

from dataclasses import dataclass
from typing import assert_never

from domain.principal import Execution, Internal, Principal, Token, User

__all__ = ("NotFound", "acts_for_a_person")


@dataclass(frozen=True, slots=True)
class NotFound:
    """There is no such thing, or it is not the principal's to see: the two look the same."""

    what: str


def acts_for_a_person(principal: Principal) -> bool:
    match principal:
        case User() | Token() | Internal():
            return True
        case Execution():
            return False
        case _:
            assert_never(principal)
