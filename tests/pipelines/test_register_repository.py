"""Repositories and tasks: read before they are registered, and named as git can name them."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from domain.access import NotFound
from domain.branch import InvalidBranch
from domain.git_failure import GitCode, GitFailure
from domain.identity import ExecutionId, RepositoryId, SessionId, TaskId, WorkspaceId
from domain.outcome import Failure, Result, failed
from domain.principal import Execution, Principal
from domain.repository import InvalidRemote, RepositoryIdentity
from domain.secret import Secret
from domain.task import MAX_PROMPT_BYTES, InvalidPrompt, Task, TaskRepository
from domain.workspace import MAX_NAME, InvalidName
from pipelines.create_task import CreateTaskProblem, CreateTaskRequest, NoRepository
from pipelines.register_repository import RelativePath
from ports.git import LocalRepository
from tests.pipelines.plane import HOST, OWNER, SECRET, Plane, plane_over, url_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AGENT = Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses"))
NOWHERE = WorkspaceId("ws_none")


@pytest.fixture
async def plane(tmp_path: Path) -> AsyncGenerator[Plane]:
    async with plane_over(tmp_path) as made:
        yield made


@requirement("workspace:repository")
async def test_a_url_is_cloned_with_the_connection_of_its_host(plane: Plane) -> None:
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    plane.git.remotes[url_of("app")] = "trunk"

    repository = await plane.repository(workspace)

    assert (repository.name, repository.default_branch) == ("app", "trunk")
    assert (repository.clone_url, repository.local_path) == (url_of("app"), None)
    assert repository.identity == RepositoryIdentity(HOST, "/acme/app")
    assert plane.git.asked[-1].password == Secret(SECRET)
    assert plane.git.cloned == [repository.id]


async def test_the_credential_of_one_host_is_not_shown_to_another(plane: Plane) -> None:
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    plane.git.secret = None

    await plane.repository(workspace, "app", "elsewhere.example")

    assert [each.password for each in plane.git.asked[1:]] == [None, None]


@requirement("workspace:repository")
@pytest.mark.parametrize("code", [GitCode.NOT_FOUND, GitCode.UNREACHABLE, GitCode.DISK_FULL])
async def test_a_url_that_cannot_be_cloned_makes_no_row(plane: Plane, code: GitCode) -> None:
    workspace = await plane.workspace()
    plane.git.refuses = GitFailure(code, "git's words")

    outcome = await plane.api.register_repository.by_url(OWNER, workspace, url_of("app"))

    assert outcome == Failure(GitFailure(code, "git's words"))
    async with plane.store.read() as state:
        assert await state.repositories(workspace) == []


@requirement("workspace:repository")
async def test_what_is_registered_is_given_back_and_not_cloned_again(plane: Plane) -> None:
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    first = await plane.repository(workspace)

    again = await plane.repository(workspace)
    other = await plane.workspace()
    (await plane.connected(other)).unwrap()
    elsewhere = await plane.repository(other)

    assert again == first
    assert elsewhere.id != first.id
    assert plane.git.cloned == [first.id, elsewhere.id]


@requirement("workspace:repository")
async def test_a_path_is_registered_as_it_lies(plane: Plane) -> None:
    workspace = await plane.workspace()
    plane.git.local["/home/me/shop/src"] = LocalRepository(
        "/home/me/shop", f"git@{HOST}:acme/shop.git", "topic"
    )

    made = await plane.api.register_repository.by_path(OWNER, workspace, "/home/me/shop/src")
    again = await plane.api.register_repository.by_path(OWNER, workspace, "/home/me/shop/src")

    repository = made.unwrap()
    assert (repository.clone_url, repository.local_path) == (None, "/home/me/shop")
    assert (repository.identity, repository.default_branch) == (
        RepositoryIdentity(HOST, "/acme/shop"),
        "topic",
    )
    assert again.unwrap() == repository
    assert plane.git.asked == []


@pytest.mark.parametrize("origin", [None, "/srv/git/shop.git", "no remote"])
async def test_a_path_without_a_usable_remote_has_no_identity(
    plane: Plane, origin: str | None
) -> None:
    workspace = await plane.workspace()
    plane.git.local["/home/me/shop"] = LocalRepository("/home/me/shop", origin, "main")

    made = await plane.api.register_repository.by_path(OWNER, workspace, "/home/me/shop")

    assert made.unwrap().identity is None


@pytest.mark.parametrize("path", ["", "shop", "./shop", "~/shop", "/home\0/shop"])
async def test_a_path_that_is_not_absolute_is_refused(plane: Plane, path: str) -> None:
    workspace = await plane.workspace()

    outcome = await plane.api.register_repository.by_path(OWNER, workspace, path)

    assert outcome == Failure(RelativePath())


async def test_a_url_with_a_password_is_refused_before_git_hears_of_it(plane: Plane) -> None:
    workspace = await plane.workspace()

    outcome = await plane.api.register_repository.by_url(
        OWNER, workspace, f"https://me:secret@{HOST}/acme/app.git"
    )

    assert failed(outcome)
    assert isinstance(outcome.failure(), InvalidRemote)
    assert plane.git.asked == []


@pytest.mark.parametrize(("principal", "known"), [(OWNER, False), (AGENT, True)])
async def test_only_a_person_registers_and_only_in_a_workspace_that_is_there(
    plane: Plane, principal: Principal, known: bool
) -> None:
    workspace = await plane.workspace() if known else NOWHERE
    register = plane.api.register_repository
    missing = Failure(NotFound("workspace"))

    assert await register.by_url(principal, workspace, url_of("app")) == missing
    assert await register.by_path(principal, workspace, "/home/me/shop") == missing
    assert plane.git.asked == []


async def test_a_workspace_that_is_deleted_during_a_clone_gets_no_repository(
    plane: Plane,
) -> None:
    workspace = await plane.workspace()
    plane.git.secret = None
    plane.git.remotes[url_of("app")] = "main"

    async def delete() -> None:
        (await plane.api.delete_workspace(OWNER, workspace)).unwrap()

    plane.git.meanwhile = delete
    outcome = await plane.api.register_repository.by_url(OWNER, workspace, url_of("app"))

    assert outcome == Failure(NotFound("workspace"))


@requirement("workspace:task")
async def test_a_task_is_made_of_a_prompt_and_repositories(plane: Plane) -> None:
    workspace, repository = await with_repository(plane)

    task = (await made(plane, workspace, "  Fix it\tnow\nand well", [repository])).unwrap()

    assert task.title == "Fix it now"
    assert task.prompt == "  Fix it\tnow\nand well"
    async with plane.store.read() as state:
        assert await state.task(task.id) == task


@requirement("workspace:task")
@pytest.mark.parametrize("base", ["--upload-pack=x", "a b", "", "a..b", "refs/", "x" * 251])
async def test_a_branch_that_cannot_be_is_refused(plane: Plane, base: str) -> None:
    workspace, repository = await with_repository(plane)
    wanted = [TaskRepository(repository, base)]

    outcome = await plane.api.create_task(OWNER, CreateTaskRequest(workspace, "T", "Go.", wanted))

    assert outcome == Failure(InvalidBranch())


@requirement("workspace:task")
async def test_a_task_names_repositories_of_its_workspace_each_once(plane: Plane) -> None:
    workspace, repository = await with_repository(plane)
    _, foreign = await with_repository(plane)

    assert await made(plane, workspace, "Go.", []) == Failure(NoRepository())
    assert await made(plane, workspace, "Go.", [repository] * 2) == Failure(NoRepository())
    assert await made(plane, workspace, "Go.", [foreign]) == Failure(NotFound("repository"))
    assert await made(plane, NOWHERE, "Go.", [repository]) == Failure(NotFound("workspace"))
    missing = Failure(NotFound("workspace"))
    assert await made(plane, workspace, "Go.", [repository], principal=AGENT) == missing


@requirement("workspace:task")
async def test_prompt_and_title_are_held_to_their_bounds(plane: Plane) -> None:
    workspace, repository = await with_repository(plane)
    longest = "x" * MAX_PROMPT_BYTES

    assert (await made(plane, workspace, longest, [repository])).unwrap().title == "x" * MAX_NAME
    assert await made(plane, workspace, longest + "x", [repository]) == Failure(
        InvalidPrompt(MAX_PROMPT_BYTES + 1)
    )
    assert await made(plane, workspace, "\n", [repository]) == Failure(InvalidPrompt(1))
    too_long = CreateTaskRequest(
        workspace, "x" * (MAX_NAME + 1), "Go.", [TaskRepository(repository)]
    )
    assert await plane.api.create_task(OWNER, too_long) == Failure(InvalidName(MAX_NAME + 1))


async def test_a_prompt_whose_first_line_prints_nothing_has_no_title(plane: Plane) -> None:
    workspace, repository = await with_repository(plane)

    assert await made(plane, workspace, "\x01\nGo.", [repository]) == Failure(InvalidName(0))


async def with_repository(plane: Plane) -> tuple[WorkspaceId, RepositoryId]:
    workspace = await plane.workspace()
    (await plane.connected(workspace)).unwrap()
    return workspace, (await plane.repository(workspace)).id


async def made(
    plane: Plane,
    workspace: WorkspaceId,
    prompt: str,
    repositories: list[RepositoryId],
    principal: Principal = OWNER,
) -> Result[Task, CreateTaskProblem]:
    wanted = [TaskRepository(each) for each in repositories]
    created = await plane.api.create_task(
        principal, CreateTaskRequest(workspace, None, prompt, wanted)
    )
    return created.map(lambda each: each.task)
