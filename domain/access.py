"""Who may use the control plane as a person does, and what an agent may do for its task.

Data belongs to workspaces. Today an installation has one owner, for whom people and their tokens
act; an execution has none of that authority, whatever its agent names in an argument. It sees its
own task, that one's parent, children and siblings, and the workspace that all of them are in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from domain.identity import WorkspaceId
from domain.principal import Execution, Internal, Principal, Token, User
from domain.task import Task
from domain.task_family import Kinship, kinship

__all__ = ("Act", "NotFound", "acts_for_a_person", "allows", "sees_workspace")


@dataclass(frozen=True, slots=True)
class NotFound:
    """There is no such thing, or it is not the principal's to see: the two look the same."""

    what: str


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


def allows(principal: Principal, own: Task | None, task: Task, act: Act) -> bool:
    """Whether the principal may do this with the task; `own` is the one an execution works on."""
    if acts_for_a_person(principal):
        return True
    return own is not None and kinship(own, task) in _KIN[act]


def sees_workspace(principal: Principal, own: Task | None, workspace: WorkspaceId) -> bool:
    """`own` is the task that an execution works on."""
    if acts_for_a_person(principal):
        return True
    return own is not None and own.workspace == workspace
