"""The worktrees of a task, wherever its agents ran: what is removed with it and restored."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from domain.base_branch import Beginning, beginning
from domain.branch_template import branch_of
from domain.execution import ExecutorType
from domain.identity import RepositoryId
from domain.outcome import Result, Success, failed
from domain.registered_repository import Repository
from domain.session import Session
from domain.task import Task, TaskRepository
from ports.git import ClosedGit
from ports.runtime import Checkout, Runtime, RuntimeProblem, Worktrees
from ports.store import Reader

__all__ = ("branches_of", "only", "remove_worktrees", "worktrees_of")


def branches_of(sessions: Sequence[Session]) -> Mapping[RepositoryId, str]:
    """The branches that the task's starts made: they stay when its title or a template changes."""
    branches: dict[RepositoryId, str] = {}
    for session in sorted(sessions, key=lambda each: each.created_at):
        made = session.metadata.get("branches")
        if isinstance(made, dict) and session.metadata.get("executor") == ExecutorType.WORKTREE:
            branches |= {RepositoryId(key): str(branch) for key, branch in made.items()}
    return branches


async def worktrees_of(
    state: Reader, git: ClosedGit, tasks_root: str, task: Task
) -> Worktrees | None:
    """What a start of the task makes; None where no agent ever ran in a worktree of it."""
    sessions = await state.sessions(task.id)
    executions = [await state.execution(each.execution) for each in sessions if each.execution]
    if not any(each and each.executor is ExecutorType.WORKTREE for each in executions):
        return None
    known = {each.id: each for each in await state.repositories(task.workspace)}
    settings = {each: await state.repository_settings(each) for each in known}
    branches = branches_of(sessions)

    def start(repository: Repository, chosen: TaskRepository) -> Beginning:
        clone = repository.local_path is None
        return beginning(chosen, repository.default_branch, clone=clone)

    wanted = [(each, known[each.repository]) for each in task.repositories]
    return Worktrees(
        task.id,
        f"{tasks_root}/{task.id}",
        tuple(
            Checkout(
                repository=repository.id,
                source=repository.local_path or git.clone_path(repository.id),
                folder=repository.name,
                branch=start(repository, chosen).branch
                or branches.get(repository.id)
                or branch_of(settings[repository.id].worktree_branch_template, task),
                base=start(repository, chosen).base,
            )
            for chosen, repository in wanted
        ),
    )


def only(worktrees: Worktrees, repository: RepositoryId) -> Worktrees:
    """The one of this repository, where agents start as they do with the others."""
    chosen = tuple(each for each in worktrees.checkouts if each.repository == repository)
    return replace(worktrees, checkouts=chosen, several=len(worktrees.checkouts) > 1)


async def remove_worktrees(
    runtime: Runtime, worktrees: Worktrees | None
) -> Result[None, RuntimeProblem]:
    """Remove them, their work kept; where there are none there is nothing to do."""
    if worktrees is None:
        return Success(None)
    removed = await runtime.remove_workspace(worktrees)
    return removed if failed(removed) else Success(None)
