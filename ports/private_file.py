"""A small file that only its owner reads: a key or a token of this installation."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from domain.outcome import Result

__all__ = ("PrivateFile", "PrivateFileFault", "PrivateFileProblem")


class PrivateFileFault(StrEnum):
    """What is wrong with the file, stable on the wire."""

    EXPOSED = "file_exposed"
    FOREIGN = "file_not_ours"
    NOT_A_FILE = "not_a_file"
    TOO_BIG = "file_too_big"
    UNREADABLE = "file_unreadable"
    NOT_WRITABLE = "home_not_writable"
    DISK_FULL = "disk_full"


@dataclass(frozen=True, slots=True)
class PrivateFileProblem:
    """The file cannot be used; it is as it was."""

    path: str
    fault: PrivateFileFault


class PrivateFile(Protocol):
    @property
    def path(self) -> str: ...

    def read(self) -> Result[bytes | None, PrivateFileProblem]:
        """The content, None when there is no such file. One that others may read is refused."""
        ...

    def create(self, content: bytes) -> Result[bool, PrivateFileProblem]:
        """Make the file, whole or not at all; False when there is one already, which stays."""
        ...

    def replace(self, content: bytes) -> Result[None, PrivateFileProblem]:
        """Put the content in the file's place: whoever looks finds the old one or the new one."""
        ...
