"""A tool, said once: its name, what it is for, what it takes and gives, and who does it."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeAlias, TypeVar

from mcp_types import Tool as Described
from mcp_types import ToolAnnotations
from typing_extensions import override

from adapters.mcp import answers, arguments
from adapters.mcp.backend import Backend
from adapters.mcp.problems import ToolProblem, told
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Principal

__all__ = ("AnyTool", "Effect", "Progress", "Tool", "WaitingTool")

Asked = TypeVar("Asked", bound=arguments.Arguments)
Given = TypeVar("Given", bound=answers.Answer)

Progress: TypeAlias = Callable[[str], Awaitable[None]]
"""Tells a client that waits what is being done, so that it goes on waiting."""


class Effect(Enum):
    """What a call does to the world, as the protocol's annotations tell it."""

    READS = ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    ADDS = ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
    )
    CHANGES = ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    INSTRUCTS = ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
    )
    ENDS = ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
    )


@dataclass(frozen=True, slots=True)
class AnyTool(ABC, Generic[Asked, Given]):
    """`description` is written for a model: when to use it, and what comes back."""

    name: str
    title: str
    description: str
    effect: Effect
    takes: type[Asked]
    gives: type[Given]

    def described(self) -> Described:
        return Described(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.takes.model_json_schema(),
            output_schema=self.gives.model_json_schema(mode="serialization"),
            annotations=self.effect.value,
        )

    async def __call__(
        self,
        backend: Backend,
        principal: Principal,
        given: dict[str, Any] | None,
        progress: Progress,
    ) -> Result[Given, str]:
        """Do it; a problem comes as its text. Wrong arguments reach nothing behind this."""
        asked = arguments.parse(self.takes, given)
        if failed(asked):
            return Failure(f"invalid arguments for {self.name}: {asked.failure()}")
        outcome = await self.perform(backend, principal, asked.unwrap(), progress)
        return Failure(told(outcome.failure())) if failed(outcome) else Success(outcome.unwrap())

    @abstractmethod
    async def perform(
        self, backend: Backend, principal: Principal, asked: Asked, progress: Progress
    ) -> Result[Given, ToolProblem]:
        """Do what was asked, or say why not."""


@dataclass(frozen=True, slots=True)
class Tool(AnyTool[Asked, Given]):
    """One that answers at once."""

    run: Callable[[Backend, Principal, Asked], Awaitable[Result[Given, ToolProblem]]]

    @override
    async def perform(
        self, backend: Backend, principal: Principal, asked: Asked, progress: Progress
    ) -> Result[Given, ToolProblem]:
        return await self.run(backend, principal, asked)


@dataclass(frozen=True, slots=True)
class WaitingTool(AnyTool[Asked, Given]):
    """One that waits for somebody or something, and tells its progress meanwhile."""

    run: Callable[[Backend, Principal, Asked, Progress], Awaitable[Result[Given, ToolProblem]]]

    @override
    async def perform(
        self, backend: Backend, principal: Principal, asked: Asked, progress: Progress
    ) -> Result[Given, ToolProblem]:
        return await self.run(backend, principal, asked, progress)
