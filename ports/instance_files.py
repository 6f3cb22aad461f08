"""Files in the checkouts of a running instance."""

from typing import Protocol, TypeAlias

from domain.checkout_file import (
    Content,
    Directory,
    FileFailure,
    Matches,
    Search,
    Write,
    Written,
)
from domain.execution import Handle
from domain.outcome import Result
from ports.instance_git import GitProblem
from ports.runtime import RuntimeProblem

__all__ = ("FileProblem", "InstanceFiles")

FileProblem: TypeAlias = RuntimeProblem | FileFailure


class InstanceFiles(Protocol):
    """`folder` names one of several repositories; None is the only one. Requests were checked."""

    async def list(
        self, handle: Handle, folder: str | None, path: str
    ) -> Result[Directory, FileProblem]:
        """What is in a directory; the empty path is the checkout itself."""
        ...

    async def read(
        self, handle: Handle, folder: str | None, path: str
    ) -> Result[Content, FileProblem]: ...

    async def write(
        self, handle: Handle, folder: str | None, write: Write
    ) -> Result[Written, FileProblem]:
        """In one step, and only over what it replaces."""
        ...

    async def search(
        self, handle: Handle, folder: str | None, search: Search
    ) -> Result[Matches, FileProblem | GitProblem]: ...
