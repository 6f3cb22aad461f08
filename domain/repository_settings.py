"""What a repository asks for in each of its new worktrees."""

from dataclasses import dataclass
from typing import Final

from domain import copy_files
from domain.copy_files import UnknownKeyword
from domain.outcome import Failure, Result, Success, failed

__all__ = ("MAX_COPY_FILES_BYTES", "RepositorySettings", "SettingTooLong", "check")

MAX_COPY_FILES_BYTES: Final = 16 * 1024
"""The longest text of copied files, in bytes of UTF-8."""


@dataclass(frozen=True, slots=True)
class RepositorySettings:
    """`copy_files` in the grammar of `domain.copy_files`."""

    copy_files: str = ""


@dataclass(frozen=True, slots=True)
class SettingTooLong:
    """The setting of this name has more bytes than its limit."""

    name: str
    limit: int


def check(
    settings: RepositorySettings,
) -> Result[RepositorySettings, UnknownKeyword | SettingTooLong]:
    """The settings, or why they must not be stored."""
    if len(settings.copy_files.encode("utf-8", "surrogatepass")) > MAX_COPY_FILES_BYTES:
        return Failure(SettingTooLong("copy_files", MAX_COPY_FILES_BYTES))
    valid = copy_files.validate(settings.copy_files)
    return valid if failed(valid) else Success(settings)
