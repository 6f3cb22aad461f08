"""End what works on a task: its leases in the unit of the caller, its agents right after it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from domain.execution import ExecutionState, Handle
from domain.identity import TaskId
from domain.ledger import Why
from domain.outcome import Result, Success, failed
from domain.session import Move, next_state
from pipelines.end_leases import end_leases
from ports.runtime import Runtime, RuntimeCode, RuntimeProblem
from ports.store import Writer

__all__ = ("end_sessions", "stop_instances")


async def end_sessions(unit: Writer, task: TaskId, at: datetime, why: Why) -> Sequence[Handle]:
    """Ask every session of the task to stop, and end all leases; the instances to be stopped."""
    await end_leases(unit, at, why, task=task)
    running: list[Handle] = []
    for session in await unit.sessions(task):
        execution = await unit.execution(session.execution) if session.execution else None
        if execution is not None and execution.state is not ExecutionState.ENDED:
            running.append(execution.handle)
        state = next_state(session.state, Move.STOP_ASKED)
        if not failed(state):
            await unit.save_session(replace(session, state=state.unwrap()))
    return running


async def stop_instances(
    runtime: Runtime, instances: Sequence[Handle]
) -> Result[None, RuntimeProblem]:
    """End every agent; the first problem, once all were tried. One that is gone is none."""
    problem: Result[None, RuntimeProblem] = Success(None)
    for handle in instances:
        stopped = await runtime.stop(handle)
        gone = failed(stopped) and stopped.failure().code is RuntimeCode.NO_INSTANCE
        if failed(stopped) and not gone and not failed(problem):
            problem = stopped
    return problem
