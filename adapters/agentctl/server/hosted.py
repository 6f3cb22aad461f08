"""What the routes may ask of an execution that is here, alive or not."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from adapters.agentctl.server.beside import Beside
from adapters.agentctl.server.event_log import EventLog
from adapters.agentctl.server.git_explanation import Known
from domain.credential_doctor import Diagnosis, Examined
from domain.execution import Handle
from domain.git_configuration import GitConfiguration
from domain.outcome import Result
from ports.runtime import RuntimeProblem

__all__ = ("Hosted",)


class Hosted(Protocol):
    __slots__ = ()

    handle: Handle
    log: EventLog

    @property
    def alive(self) -> bool:
        """Whether its agent can be prompted."""
        ...

    @property
    def over(self) -> bool:
        """Whether its agent has ended and its log is complete."""
        ...

    @property
    def turn_generation(self) -> int | None: ...

    @property
    def workspace(self) -> Path | None:
        """The directory that its agent works in, from its start on."""
        ...

    def prompt(self, generation: int, text: str) -> Result[None, RuntimeProblem]: ...

    def cancel(self) -> None: ...

    def answer(self, request: str, option: str | None) -> Result[None, RuntimeProblem]: ...

    def acknowledge(self, through: int) -> None: ...

    async def git_configuration(self) -> Result[GitConfiguration, RuntimeProblem]:
        """What git sees in it, and what is found around it at this moment."""
        ...

    async def examine_credentials(
        self, examined: Sequence[Examined]
    ) -> Result[Sequence[Diagnosis], RuntimeProblem]:
        """Have git ask for the credential of each repository, and say who answered."""
        ...

    def known(self) -> Result[Known, RuntimeProblem]:
        """Its environment and its checkouts, which are still where they were made."""

    def beside(self) -> Result[Beside, RuntimeProblem]:
        """What runs beside its agent, while that runs."""
        ...

    async def stop(self) -> None:
        """End the agent and every descendant; returns when its log is complete. Idempotent."""
        ...

    def release(self) -> None:
        """Forget the log of one that is over."""
        ...
