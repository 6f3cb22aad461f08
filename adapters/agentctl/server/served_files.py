"""What an agent may ask of files: text below the directory in which it works."""

from typing import Protocol

from domain.checkout_file import FileFailure
from domain.outcome import Result
from ports.runtime import RuntimeProblem

__all__ = ("ServedFiles",)


class ServedFiles(Protocol):
    """Paths are absolute; what leads out of the agent's directory, or to git's own, is refused."""

    __slots__ = ()

    async def read(
        self, path: str, line: int | None, limit: int | None
    ) -> Result[str, FileFailure | RuntimeProblem]:
        """From `line`, the first is 1, at most `limit` lines; nothing behind the last one."""
        ...

    async def write(self, path: str, content: str) -> Result[None, FileFailure | RuntimeProblem]:
        """Put the text there in one step, whatever the file holds; parents are made."""
        ...
