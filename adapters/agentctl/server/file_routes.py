"""Files in the checkouts of an instance: one route, and the operation is a part of its path."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from litestar import Request, post
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from adapters.agentctl.checkout_wire import FileAnswer
from adapters.agentctl.server.checkout_files import list_directory, read_file, write_file
from adapters.agentctl.server.checkout_git import CheckoutGit, Where
from adapters.agentctl.server.refusals import RefusedError, granted
from adapters.agentctl.server.requests import checked, read
from adapters.agentctl.server.routes import Core, Session, Task, checkout_of
from domain import checkout_file
from domain.checkout_file import FileFailure, Search, Write
from domain.git_failure import GitFailure
from domain.identity import TaskId
from domain.outcome import Result, failed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("work_with_files",)

_Answered: TypeAlias = Result[object, FileFailure | GitFailure]
_Operation: TypeAlias = Callable[[CheckoutGit, Where, bytes], Awaitable[_Answered]]


@post("/api/v1/instances/{execution:str}/files/{operation:str}", status_code=200)
async def work_with_files(
    execution: FromPath[str],
    operation: FromPath[str],
    task: Task,
    session: Session,
    request: Request[Any, Any, Any],
    core: NamedDependency[Core],
    folder: Annotated[str | None, QueryParameter()] = None,
) -> FileAnswer:
    known = granted(core.find(execution, task, session).known())
    asked = _OPERATIONS.get(operation)
    if asked is None:
        raise RefusedError(RuntimeProblem(RuntimeCode.INVALID, "there is no such operation"))
    directory = checkout_of(known, folder)
    where = Where(directory, TaskId(task), known.environment.variables)
    answered = await asked(core.git, where, await request.body())
    if not failed(answered):
        return FileAnswer(msgspec.Raw(msgspec.json.encode(answered.unwrap())))
    failure = answered.failure()
    if isinstance(failure, GitFailure):
        return FileAnswer(git=failure)
    return FileAnswer(failure=failure)


async def _list(_: CheckoutGit, where: Where, body: bytes) -> _Answered:
    path = checked(checkout_file.check_place(read(body, str)))
    return await asyncio.to_thread(list_directory, Path(where.directory), path)


async def _read(_: CheckoutGit, where: Where, body: bytes) -> _Answered:
    path = checked(checkout_file.check_place(read(body, str)))
    return await asyncio.to_thread(read_file, Path(where.directory), path)


async def _write(_: CheckoutGit, where: Where, body: bytes) -> _Answered:
    asked = read(body, Write)
    data = checked(checkout_file.check_write(asked))
    root = Path(where.directory)
    return await asyncio.to_thread(write_file, root, asked.path, data, asked.replaces)


async def _search(git: CheckoutGit, where: Where, body: bytes) -> _Answered:
    return await git.search(where, checked(checkout_file.check_search(read(body, Search))))


_OPERATIONS: Final[dict[str, _Operation]] = {
    "list": _list,
    "read": _read,
    "write": _write,
    "search": _search,
}
