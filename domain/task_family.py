"""How tasks stand to one another: a task may be a part of another one, one level deep."""

from enum import StrEnum

from domain.task import Task

__all__ = ("Kinship", "kinship")


class Kinship(StrEnum):
    """What another task is to one."""

    SELF = "self"
    PARENT = "parent"
    CHILD = "child"
    SIBLING = "sibling"


def kinship(own: Task, other: Task) -> Kinship | None:
    """What `other` is to `own`; None when they have nothing to do with one another."""
    if other.id == own.id:
        return Kinship.SELF
    if own.parent is not None and own.parent == other.id:
        return Kinship.PARENT
    if other.parent == own.id:
        return Kinship.CHILD
    if own.parent is not None and own.parent == other.parent:
        return Kinship.SIBLING
    return None
