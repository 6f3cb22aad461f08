"""What a principal may see and do, of what belongs to whom.

Data belongs to workspaces, and a workspace to its owner, who takes others in as its members. A user
and the tokens of that user act in the workspaces of both kinds and know of no other; whoever
administers the installation has no way around that. An execution has none of a person's authority,
whatever its agent names in an argument: it sees its own task, that one's parent, children and
siblings, and the workspace that all of them are in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from domain.identity import UserId, WorkspaceId
from domain.principal import Execution, Internal, Principal, Token, User
from domain.task import Task
from domain.task_family import Kinship, kinship

__all__ = (
    "Act",
    "NotFound",
    "OwnerOnly",
    "Standing",
    "acts_for_a_person",
    "allows",
    "asks_as",
    "founder",
    "sees_workspace",
)


@dataclass(frozen=True, slots=True)
class NotFound:
    """There is no such thing, or it is not the principal's to see: the two look the same."""

    what: str


@dataclass(frozen=True, slots=True)
class OwnerOnly:
    """A member asked for what the owner of the workspace alone does."""


class Standing(StrEnum):
    """What a user is to a workspace.

    Its owner alone has its credentials, its policy, its members and its end in hand.
    """

    OWNER = "owner"
    MEMBER = "member"


class Act(StrEnum):
    """What is to be done with a task."""

    SEE = "see"
    MESSAGE = "message"
    CHANGE = "change"
    CONTROL = "control"
    """Start, stop and archive."""


_KIN: Final[Mapping[Act, frozenset[Kinship]]] = {
    Act.SEE: frozenset(Kinship),
    Act.MESSAGE: frozenset(Kinship) - {Kinship.SELF},
    Act.CHANGE: frozenset({Kinship.SELF, Kinship.CHILD}),
    Act.CONTROL: frozenset({Kinship.CHILD}),
}


def acts_for_a_person(principal: Principal) -> bool:
    match principal:
        case User() | Token() | Internal():
            return True
        case Execution():
            return False
        case _:
            assert_never(principal)


def asks_as(principal: Principal, workspace: WorkspaceId) -> UserId | None:
    """Whose standing in the workspace counts for the principal; None: nobody's does."""
    match principal:
        case User(id=user):
            return user
        case Token(user=user, workspaces=limit):
            return user if limit is None or workspace in limit else None
        case Execution() | Internal():
            return None
        case _:
            assert_never(principal)


def founder(principal: Principal) -> UserId | None:
    """Who owns what the principal founds: a token with limits founds nothing beside them."""
    match principal:
        case User(id=user) | Token(user=user, workspaces=None):
            return user
        case Token() | Execution() | Internal():
            return None
        case _:
            assert_never(principal)


def allows(
    principal: Principal, own: Task | None, standing: Standing | None, task: Task, act: Act
) -> bool:
    """Whether the principal may do this with the task.

    `own` is the one an execution works on, `standing` a person's in the workspace of the task.
    """
    if acts_for_a_person(principal):
        return standing is not None
    return own is not None and kinship(own, task) in _KIN[act]


def sees_workspace(
    principal: Principal, own: Task | None, standing: Standing | None, workspace: WorkspaceId
) -> bool:
    """`own` is the task that an execution works on, `standing` a person's in the workspace."""
    if acts_for_a_person(principal):
        return standing is not None
    return own is not None and own.workspace == workspace
