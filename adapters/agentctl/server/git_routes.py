"""Git in the checkouts of an instance: one route, and the operation is a part of its path."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from litestar import Request, post
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from adapters.agentctl.checkout_wire import GitAnswer
from adapters.agentctl.server.checkout_git import CheckoutGit, Where
from adapters.agentctl.server.refusals import RefusedError, granted
from adapters.agentctl.server.requests import checked, read
from adapters.agentctl.server.routes import Core, Session, Task, checkout_of
from domain import git_change, git_diff, git_history
from domain.git_change import Change, Commit, Discard, Fetch, Push, Stage, Unstage
from domain.git_diff import DiffRequest
from domain.git_failure import GitFailure
from domain.git_history import LogRequest
from domain.identity import TaskId
from domain.outcome import Result, failed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("work_with_git",)

_Answered: TypeAlias = Result[object, GitFailure]
_Operation: TypeAlias = Callable[[CheckoutGit, Where, bytes], Awaitable[_Answered]]


@post("/api/v1/instances/{execution:str}/git/{operation:str}", status_code=200)
async def work_with_git(
    execution: FromPath[str],
    operation: FromPath[str],
    task: Task,
    session: Session,
    request: Request[Any, Any, Any],
    core: NamedDependency[Core],
    folder: Annotated[str | None, QueryParameter()] = None,
) -> GitAnswer:
    known = granted(core.find(execution, task, session).known())
    asked = _OPERATIONS.get(operation)
    if asked is None:
        raise RefusedError(RuntimeProblem(RuntimeCode.INVALID, "there is no such operation"))
    directory = checkout_of(known, folder)
    where = Where(directory, TaskId(task), known.environment.variables)
    answered = await asked(core.git, where, await request.body())
    if failed(answered):
        return GitAnswer(failure=answered.failure())
    return GitAnswer(msgspec.Raw(msgspec.json.encode(answered.unwrap())))


async def _status(git: CheckoutGit, where: Where, _: bytes) -> _Answered:
    return await git.status(where)


async def _diff(git: CheckoutGit, where: Where, body: bytes) -> _Answered:
    return await git.diff(where, checked(git_diff.check(read(body, DiffRequest))))


async def _log(git: CheckoutGit, where: Where, body: bytes) -> _Answered:
    return await git.log(where, checked(git_history.check(read(body, LogRequest))))


def _changing(kind: type[Change]) -> _Operation:
    async def change(git: CheckoutGit, where: Where, body: bytes) -> _Answered:
        return await git.change(where, checked(git_change.check(read(body, kind))))

    return change


_OPERATIONS: Final[dict[str, _Operation]] = {
    "status": _status,
    "diff": _diff,
    "log": _log,
    "stage": _changing(Stage),
    "unstage": _changing(Unstage),
    "discard": _changing(Discard),
    "commit": _changing(Commit),
    "fetch": _changing(Fetch),
    "push": _changing(Push),
}
