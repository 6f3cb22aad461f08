"""What is recorded of a running agentctl, so that it is found again after a restart."""

from dataclasses import dataclass

__all__ = ("AgentctlRecord",)


@dataclass(frozen=True, slots=True)
class AgentctlRecord:
    """Where agentctl listens and which process it is.

    `started` is the process's start time in clock ticks since boot (proc(5), field 22): pid and
    start time together name a process. `sealed_key` is the 32-byte key it read from stdin.
    """

    socket: str
    pid: int
    started: int
    sealed_key: bytes
