"""The control plane's way to the files of an instance: through its agentctl."""

from typing import Final, TypeVar
from urllib.parse import urlencode

import msgspec
from typing_extensions import override

from adapters.agentctl.checkout_wire import FileAnswer
from adapters.agentctl.instance_call import Present, call, decoded, read
from domain.checkout_file import (
    Content,
    Directory,
    Matches,
    Search,
    Write,
    Written,
)
from domain.execution import Handle
from domain.outcome import Failure, Result, failed
from ports.instance_files import FileProblem, InstanceFiles
from ports.instance_git import GitProblem
from ports.runtime import RuntimeProblem

__all__ = ("AgentctlFiles",)

Value = TypeVar("Value")

_answer: Final = msgspec.json.Decoder(FileAnswer)


class AgentctlFiles(InstanceFiles):
    def __init__(self, keeper: Present) -> None:
        self._keeper = keeper

    @override
    async def list(
        self, handle: Handle, folder: str | None, path: str
    ) -> Result[Directory, FileProblem]:
        return _told(await self._ask(handle, folder, "list", path), Directory)

    @override
    async def read(
        self, handle: Handle, folder: str | None, path: str
    ) -> Result[Content, FileProblem]:
        return _told(await self._ask(handle, folder, "read", path), Content)

    @override
    async def write(
        self, handle: Handle, folder: str | None, write: Write
    ) -> Result[Written, FileProblem]:
        return _told(await self._ask(handle, folder, "write", write), Written)

    @override
    async def search(
        self, handle: Handle, folder: str | None, search: Search
    ) -> Result[Matches, FileProblem | GitProblem]:
        answered = await self._ask(handle, folder, "search", search)
        refused = None if failed(answered) else answered.unwrap().git
        return Failure(refused) if refused is not None else _told(answered, Matches)

    async def _ask(
        self, handle: Handle, folder: str | None, operation: str, request: object
    ) -> Result[FileAnswer, RuntimeProblem]:
        where = "" if folder is None else "?" + urlencode({"folder": folder})
        body = msgspec.json.encode(request)
        answered = await call(self._keeper, handle, "POST", f"/files/{operation}{where}", body)
        return answered if failed(answered) else decoded(answered.unwrap(), _answer)


def _told(
    answered: Result[FileAnswer, RuntimeProblem], kind: type[Value]
) -> Result[Value, FileProblem]:
    if failed(answered):
        return answered
    answer = answered.unwrap()
    if answer.failure is not None:
        return Failure(answer.failure)
    return read(answer.value, msgspec.json.Decoder(kind))
