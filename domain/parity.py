"""In what a worktree that was just made differs from a fresh checkout, told within bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from domain.worktree_path import shown

__all__ = ("MAX_NAMES", "MAX_NAME_CHARACTERS", "Difference", "DifferenceKind", "difference")

MAX_NAMES: Final = 20
"""The most names that are told of one difference; all are counted."""
MAX_NAME_CHARACTERS: Final = 255
"""The most characters that are told of a name."""


class DifferenceKind(StrEnum):
    HOOKS_NOT_ARMED = "hooks_not_armed"
    """`core.hooksPath` leads to nothing that git runs hooks from."""
    SUBMODULES_NOT_FETCHED = "submodules_not_fetched"
    LFS_NOT_FETCHED = "lfs_not_fetched"
    """Files that are pointers of Git LFS, without what they point to."""
    SPARSE = "sparse"
    """Files that a sparse checkout leaves out."""
    LINKED = "linked"
    """Links to files of the repository that other checkouts share."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`names` are the first of `count`, cut; `repaired` is whether it is one no more."""

    kind: DifferenceKind
    names: tuple[str, ...]
    count: int
    repaired: bool = False


def difference(
    kind: DifferenceKind, names: Sequence[str], *, repaired: bool = False
) -> Difference | None:
    """One of these names; None where there are none."""
    if not names:
        return None
    told = tuple(shown(each)[:MAX_NAME_CHARACTERS] for each in names[:MAX_NAMES])
    return Difference(kind, told, len(names), repaired)
