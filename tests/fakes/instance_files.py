"""Files of instances that are not there: remembers what it was asked."""

from typing_extensions import override

from domain.checkout_file import (
    Content,
    Directory,
    Matches,
    Search,
    Write,
    Written,
    content_of,
)
from domain.execution import Handle
from domain.outcome import Failure, Result, Success
from ports.instance_files import FileProblem, InstanceFiles
from ports.instance_git import GitProblem

__all__ = ("FakeInstanceFiles",)


class FakeInstanceFiles(InstanceFiles):
    """Every call is answered by `refuses`, if there is one, and else taken."""

    def __init__(self) -> None:
        self.refuses: FileProblem | None = None
        self.asked: list[tuple[Handle, str | None, object]] = []

    @override
    async def list(
        self, handle: Handle, folder: str | None, path: str
    ) -> Result[Directory, FileProblem]:
        self.asked.append((handle, folder, path))
        return Failure(self.refuses) if self.refuses else Success(Directory((), 0))

    @override
    async def read(
        self, handle: Handle, folder: str | None, path: str
    ) -> Result[Content, FileProblem]:
        self.asked.append((handle, folder, path))
        return Failure(self.refuses) if self.refuses else Success(content_of(b"text"))

    @override
    async def write(
        self, handle: Handle, folder: str | None, write: Write
    ) -> Result[Written, FileProblem]:
        self.asked.append((handle, folder, write))
        return Failure(self.refuses) if self.refuses else Success(Written(4, "d0"))

    @override
    async def search(
        self, handle: Handle, folder: str | None, search: Search
    ) -> Result[Matches, FileProblem | GitProblem]:
        self.asked.append((handle, folder, search))
        return Failure(self.refuses) if self.refuses else Success(Matches((), 0))
