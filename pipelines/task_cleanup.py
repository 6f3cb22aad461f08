"""The cleanup of a task's worktrees: the scripts, and the environment that they run in.

It is what an agent started now would get, but for leases: they end before. So under the managed
policy git is closed, and asks nobody in their place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from domain import script
from domain.agent import Agent
from domain.ambient_credentials import cleared
from domain.credential_policy import decide, managed_hosts, removes
from domain.identity import RepositoryId
from domain.outcome import failed
from domain.registered_repository import Repository
from domain.session import Session
from domain.task import Task
from pipelines.start_plan import authorities_of, environment_of, scripts_of
from ports.agents import Agents
from ports.runtime import Cleanup, Scripts, Worktrees
from ports.store import Reader

__all__ = ("with_cleanup",)


async def with_cleanup(
    state: Reader, agents: Agents, task: Task, worktrees: Worktrees | None
) -> Worktrees | None:
    """The worktrees with their cleanup scripts; without where there are none.

    Nor where nobody can say any more with whose authority they would run.
    """
    if worktrees is None:
        return None
    known = {each.id: each for each in await state.repositories(task.workspace)}
    scripts: dict[RepositoryId, Scripts] = {}
    for checkout in worktrees.checkouts:
        settings = await state.repository_settings(checkout.repository)
        if not script.is_blank(settings.cleanup_script):
            scripts[checkout.repository] = scripts_of(known[checkout.repository], settings)
    if not scripts:
        return worktrees
    cleanup = await _environment(state, agents, task, [known[each] for each in known])
    return worktrees if cleanup is None else _cleaned(worktrees, scripts, cleanup)


def _cleaned(
    worktrees: Worktrees, scripts: Mapping[RepositoryId, Scripts], cleanup: Cleanup
) -> Worktrees:
    checkouts = [
        replace(each, scripts=scripts.get(each.repository)) for each in worktrees.checkouts
    ]
    return replace(worktrees, checkouts=tuple(checkouts), cleanup=cleanup)


async def _environment(
    state: Reader, agents: Agents, task: Task, known: Sequence[Repository]
) -> Cleanup | None:
    workspace = await state.workspace(task.workspace)
    last = await _last(state, task)
    if workspace is None or last is None or last.execution is None:
        return None
    layers = environment_of(_agent(agents, last.agent))
    wanted = {each.repository for each in task.repositories}
    connections = await state.connections(workspace.id)
    repositories = [each for each in known if each.id in wanted]
    decided = decide(workspace.mode, connections, layers, repositories)
    clean = cleared(layers)
    if failed(decided) or failed(clean):
        return None
    decision = decided.unwrap()
    return Cleanup(
        session=last.id,
        execution=last.execution,
        layers=clean.unwrap(),
        hosts=managed_hosts(decision.scopes, authorities_of(connections)),
        removes=removes(workspace.mode, decision.source, layers),
    )


async def _last(state: Reader, task: Task) -> Session | None:
    """The newest session that ever had an agent."""
    sessions = [each for each in await state.sessions(task.id) if each.execution is not None]
    return max(sessions, key=lambda each: each.created_at, default=None)


def _agent(agents: Agents, name: str) -> Agent | None:
    return next((each.agent for each in agents.all() if each.agent.name == name), None)
