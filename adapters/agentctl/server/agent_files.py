"""Files that an agent reads and writes through its client, in the directory it works in."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from typing_extensions import override

from adapters.agentctl.server.beside import Beside
from adapters.agentctl.server.checkout_files import overwrite_file, read_file
from adapters.agentctl.server.served_files import ServedFiles
from domain.checkout_file import (
    MAX_READ_BYTES,
    Content,
    Encoding,
    FileCode,
    FileFailure,
    excerpt,
)
from domain.outcome import Failure, Result, Success, failed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("AgentFiles",)


class AgentFiles(ServedFiles):
    """`beside` tells where the agent works, while it runs."""

    __slots__ = ("_beside",)

    def __init__(self, beside: Callable[[], Result[Beside, RuntimeProblem]]) -> None:
        self._beside = beside

    @override
    async def read(
        self, path: str, line: int | None, limit: int | None
    ) -> Result[str, FileFailure | RuntimeProblem]:
        found = self._place(path)
        if failed(found):
            return found
        content = await asyncio.to_thread(read_file, *found.unwrap())
        if failed(content):
            return Failure(FileFailure(content.failure().code, path))
        return _text(content.unwrap(), path).map(lambda text: excerpt(text, line, limit))

    @override
    async def write(self, path: str, content: str) -> Result[None, FileFailure | RuntimeProblem]:
        try:
            data = content.encode()
        except UnicodeEncodeError:
            return Failure(RuntimeProblem(RuntimeCode.INVALID, "a text with half a character"))
        if len(data) > MAX_READ_BYTES:
            return Failure(FileFailure(FileCode.TOO_LARGE, path))
        found = self._place(path)
        if failed(found):
            return found
        written = await asyncio.to_thread(overwrite_file, *found.unwrap(), data)
        if failed(written):
            return Failure(FileFailure(written.failure().code, path))
        return Success(None)

    def _place(self, path: str) -> Result[tuple[Path, str], FileFailure | RuntimeProblem]:
        """The agent's directory, and the way to the file from there."""
        beside = self._beside()
        if failed(beside):
            return beside
        root = beside.unwrap().directory
        for name in (root, root.resolve()):
            if path.startswith(f"{name}/") and "\0" not in path:
                return Success((root, path.removeprefix(f"{name}/")))
        return Failure(FileFailure(FileCode.OUTSIDE, path))


def _text(content: Content, path: str) -> Result[str, RuntimeProblem]:
    if content.encoding is not Encoding.UTF_8:
        return Failure(RuntimeProblem(RuntimeCode.INVALID, f"{path} is no text in UTF-8"))
    return Success(content.content)
