"""The cleanup of a task's worktrees: the scripts, and the environment that they run in.

It is what an agent started now would get, but for leases: they end before. So under the managed
policy git is closed, and asks nobody in their place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from domain import environment, script
from domain.agent import Agent
from domain.ambient_credentials import cleared
from domain.credential_policy import decide, managed_hosts, removes
from domain.identity import RepositoryId
from domain.outcome import failed
from domain.session import Session
from domain.task import Task
from pipelines.environment_secrets import EnvironmentSecrets
from pipelines.start_facts import facts_of, stored_layers
from pipelines.start_plan import Facts, authorities_of, scripts_of, standing_layers
from ports.agents import Agents
from ports.runtime import Cleanup, Scripts, Worktrees
from ports.store import Reader

__all__ = ("CleanupPlan",)


@dataclass(frozen=True, slots=True)
class CleanupPlan:
    agents: Agents
    environments: EnvironmentSecrets

    async def __call__(
        self, state: Reader, task: Task, worktrees: Worktrees | None
    ) -> Worktrees | None:
        """The worktrees with their cleanup scripts; without where there are none.

        Nor where nobody can say any more with whose authority they would run.
        """
        last = await _last(state, task)
        if worktrees is None or last is None or last.execution is None:
            return worktrees
        gathered = await facts_of(state, last)
        if failed(gathered):
            return worktrees
        facts = gathered.unwrap()
        scripts = {
            each.id: scripts_of(each, facts.settings[each.id])
            for each in facts.repositories
            if not script.is_blank(facts.settings[each.id].cleanup_script)
        }
        cleanup = self._cleanup(facts, last) if scripts else None
        return worktrees if cleanup is None else _cleaned(worktrees, scripts, cleanup)

    def _cleanup(self, facts: Facts, last: Session) -> Cleanup | None:
        stored = stored_layers(self.environments, facts)
        if failed(stored) or last.execution is None:
            return None
        layers = standing_layers(_agent(self.agents, last.agent), stored.unwrap())
        decided = decide(facts.workspace.mode, facts.connections, layers, facts.repositories)
        clean = cleared(layers)
        if failed(decided) or failed(clean) or failed(environment.compose(clean.unwrap())):
            return None
        decision = decided.unwrap()
        return Cleanup(
            session=last.id,
            execution=last.execution,
            layers=clean.unwrap(),
            hosts=managed_hosts(decision.scopes, authorities_of(facts.connections)),
            removes=removes(facts.workspace.mode, decision.source, layers),
        )


def _cleaned(
    worktrees: Worktrees, scripts: Mapping[RepositoryId, Scripts], cleanup: Cleanup
) -> Worktrees:
    checkouts = [
        replace(each, scripts=scripts.get(each.repository)) for each in worktrees.checkouts
    ]
    return replace(worktrees, checkouts=tuple(checkouts), cleanup=cleanup)


async def _last(state: Reader, task: Task) -> Session | None:
    """The newest session that ever had an agent."""
    sessions = [each for each in await state.sessions(task.id) if each.execution is not None]
    return max(sessions, key=lambda each: each.created_at, default=None)


def _agent(agents: Agents, name: str) -> Agent | None:
    return next((each.agent for each in agents.all() if each.agent.name == name), None)
