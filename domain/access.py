"""Who may use the control plane as a person does.

Data belongs to workspaces. Today an installation has one owner, for whom people and their tokens
act; an execution has none of that authority, whatever its agent names in an argument. It sees its
own task and the workspace of that.
"""

from dataclasses import dataclass
from typing import assert_never

from domain.identity import WorkspaceId
from domain.principal import Execution, Internal, Principal, Token, User
from domain.task import Task

__all__ = ("NotFound", "acts_for_a_person", "sees_task", "sees_workspace")


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


def sees_workspace(principal: Principal, own: Task | None, workspace: WorkspaceId) -> bool:
    """`own` is the task that an execution works on."""
    if acts_for_a_person(principal):
        return True
    return own is not None and own.workspace == workspace


def sees_task(principal: Principal, own: Task | None, task: Task) -> bool:
    """`own` is the task that an execution works on."""
    if acts_for_a_person(principal):
        return True
    return own is not None and own.id == task.id
