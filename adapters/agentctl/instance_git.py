"""The control plane's way to the git of an instance: through its agentctl."""

from typing import Final, TypeVar
from urllib.parse import urlencode

import msgspec
from typing_extensions import override

from adapters.agentctl.checkout_wire import GitAnswer
from adapters.agentctl.instance_call import Present, call, decoded, read
from domain.execution import Handle
from domain.git_change import (
    CHANGE_SECONDS,
    LOOK_SECONDS,
    Change,
    Commit,
    Discard,
    Done,
    Fetch,
    Push,
    Stage,
    Unstage,
)
from domain.git_diff import DiffRequest, GitDiff
from domain.git_history import LoggedCommit, LogRequest
from domain.git_status import GitStatus
from domain.outcome import Failure, Result, failed
from ports.instance_git import GitProblem, InstanceGit

__all__ = ("AgentctlGit",)

Value = TypeVar("Value")

_MARGIN: Final = 30.0
"""Seconds for agentctl to end git at its limit, and to answer."""

_OPERATION: Final[dict[type[Change], str]] = {
    Stage: "stage",
    Unstage: "unstage",
    Discard: "discard",
    Commit: "commit",
    Fetch: "fetch",
    Push: "push",
}

_answer = msgspec.json.Decoder(GitAnswer)


class AgentctlGit(InstanceGit):
    def __init__(self, keeper: Present) -> None:
        self._keeper = keeper

    @override
    async def status(self, handle: Handle, folder: str | None) -> Result[GitStatus, GitProblem]:
        return await self._ask(handle, folder, "status", None, GitStatus)

    @override
    async def diff(
        self, handle: Handle, folder: str | None, request: DiffRequest
    ) -> Result[GitDiff, GitProblem]:
        return await self._ask(handle, folder, "diff", request, GitDiff)

    @override
    async def log(
        self, handle: Handle, folder: str | None, request: LogRequest
    ) -> Result[tuple[LoggedCommit, ...], GitProblem]:
        return await self._ask(handle, folder, "log", request, tuple[LoggedCommit, ...])

    @override
    async def change(
        self, handle: Handle, folder: str | None, change: Change
    ) -> Result[Done, GitProblem]:
        return await self._ask(
            handle, folder, _OPERATION[type(change)], change, Done, CHANGE_SECONDS
        )

    async def _ask(
        self,
        handle: Handle,
        folder: str | None,
        operation: str,
        request: object,
        kind: type[Value],
        seconds: float = LOOK_SECONDS,
    ) -> Result[Value, GitProblem]:
        where = "" if folder is None else "?" + urlencode({"folder": folder})
        answered = await call(
            self._keeper,
            handle,
            "POST",
            f"/git/{operation}{where}",
            msgspec.json.encode(request),
            seconds + _MARGIN,
        )
        if failed(answered):
            return answered
        told = decoded(answered.unwrap(), _answer)
        if failed(told):
            return told
        answer = told.unwrap()
        if answer.failure is not None:
            return Failure(answer.failure)
        return read(answer.value, msgspec.json.Decoder(kind))
