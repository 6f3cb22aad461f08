"""The owner of a task, for whom its agents act."""

from dataclasses import dataclass

__all__ = ("NoOwner",)


@dataclass(frozen=True, slots=True)
class NoOwner:
    """Nobody owns the task who may act: the account is disabled, or there is no such task."""
