"""What this process uses of its machine."""

from dataclasses import dataclass
from typing import Protocol

__all__ = ("OwnProcess", "Used")


@dataclass(frozen=True, slots=True)
class Used:
    """Processor time in seconds, memory in bytes, descriptors open now."""

    cpu_seconds: float
    resident_bytes: int
    open_descriptors: int


class OwnProcess(Protocol):
    def used(self) -> Used: ...
