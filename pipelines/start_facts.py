"""What a start rests on, read in one unit, and the layers that are stored for it, opened."""

from domain.access import NotFound
from domain.environment import Layer
from domain.outcome import Failure, Result, Success, failed
from domain.session import Session
from domain.stored_environment import SecretMissing
from pipelines.environment_secrets import EnvironmentSecrets
from pipelines.session_profiles import Named, ProfilesProblem, find_profiles
from pipelines.start_plan import Facts, environments_of
from pipelines.task_worktrees import branches_of
from ports.store import Reader

__all__ = ("facts_of", "stored_layers")


async def facts_of(state: Reader, session: Session) -> Result[Facts, NotFound | ProfilesProblem]:
    """Everything that is true of the session's task now."""
    task = await state.task(session.task)
    if task is None:
        return Failure(NotFound("task"))
    workspace = await state.workspace(task.workspace)
    if workspace is None:
        return Failure(NotFound("workspace"))
    known = {each.id: each for each in await state.repositories(workspace.id)}
    connections = tuple(await state.connections(workspace.id))
    settings = {each: await state.repository_settings(each) for each in known}
    environments = {each: await state.repository_environment(each) for each in known}
    named = Named(session.agent_profile, session.executor_profile)
    profiles = await find_profiles(state, workspace.id, named, session.agent)
    if failed(profiles):
        return profiles
    wanted = [known.get(each.repository) for each in task.repositories]
    repositories = tuple(each for each in wanted if each is not None)
    if len(repositories) != len(wanted):
        return Failure(NotFound("repository"))
    return Success(
        Facts(
            workspace,
            task,
            repositories,
            connections,
            settings,
            environments,
            profiles.unwrap(),
            branches_of(await state.sessions(task.id)),
        )
    )


def stored_layers(
    environments: EnvironmentSecrets, facts: Facts
) -> Result[tuple[Layer, ...], SecretMissing]:
    """The stored environments with their secrets, which the redactor knows from then on."""
    layers: list[Layer] = []
    for owner, stored in environments_of(facts):
        opened = environments.open(owner, stored)
        if failed(opened):
            return opened
        layers.append(opened.unwrap())
    return Success(tuple(layers))
