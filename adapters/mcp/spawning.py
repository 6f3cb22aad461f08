"""The tool that starts an agent on a task, and tells whoever waits that it goes on."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from adapters.mcp.acting import controlled, started
from adapters.mcp.answers import MessageAnswer
from adapters.mcp.arguments import SpawnSession
from adapters.mcp.backend import Backend
from adapters.mcp.problems import NeedsAgent, ToolProblem
from adapters.mcp.tools import Progress
from domain.access import Act
from domain.identity import ProfileId
from domain.outcome import Failure, Result, Success, failed
from domain.principal import Execution, Principal
from domain.session import Session
from domain.task import Task
from pipelines.launch_session import LaunchRequest
from pipelines.session_profiles import Named

__all__ = ("spawn_session",)

KEEP_ALIVE_SECONDS: Final = 20.0
"""A client that waits hears of it this often."""

Outcome = TypeVar("Outcome")


async def spawn_session(
    backend: Backend, principal: Principal, asked: SpawnSession, progress: Progress
) -> Result[MessageAnswer, ToolProblem]:
    """Start an agent and begin its first turn.

    An agent that does not take the prompt is stopped: whoever asks again finds the task free.
    """
    found = await controlled(backend, principal, asked.task_id, Act.CONTROL)
    if failed(found):
        return found
    task = found.unwrap()
    chosen = await request(backend, principal, task, asked)
    if failed(chosen):
        return chosen
    launching = backend.launch(principal, chosen.unwrap())
    launched = await told(launching, progress, "Starting the agent.")
    if failed(launched):
        return launched
    session = launched.unwrap()
    begun = await backend.prompt(principal, session.id, asked.prompt or task.prompt)
    if failed(begun):
        await backend.stop(principal, session.id)
        return begun
    return Success(started(begun.unwrap()))


async def request(
    backend: Backend, principal: Principal, task: Task, asked: SpawnSession
) -> Result[LaunchRequest, NeedsAgent]:
    """With what was named; else with what the task had last, or whoever asks works with."""
    profiles = Named(
        ProfileId(asked.agent_profile_id) if asked.agent_profile_id is not None else None,
        ProfileId(asked.executor_profile_id) if asked.executor_profile_id is not None else None,
    )
    if asked.agent is not None or profiles.agent is not None:
        return Success(LaunchRequest(task.id, asked.agent, profiles=profiles))
    model = await example(backend, principal, task)
    if model is None:
        return Failure(NeedsAgent())
    both = Named(model.agent_profile, profiles.executor or model.executor_profile)
    return Success(LaunchRequest(task.id, model.agent, profiles=both))


async def example(backend: Backend, principal: Principal, task: Task) -> Session | None:
    """The newest session of the task, or the one of the agent that asks."""
    async with backend.store.read() as state:
        sessions = await state.sessions(task.id)
        if sessions:
            return max(sessions, key=lambda each: each.created_at)
        if isinstance(principal, Execution):
            return await state.session(principal.session)
    return None


async def told(work: Coroutine[Any, Any, Outcome], progress: Progress, message: str) -> Outcome:
    """What the work comes to; whoever waits for it is told now and then that it goes on."""
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await progress(message)
            await asyncio.wait({task}, timeout=KEEP_ALIVE_SECONDS)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
