"""Where an installation keeps what is its own: the directories of `KANDEV_HOME`."""

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from domain.outcome import Failure, Result, Success

__all__ = ("Home", "HomeFault", "HomeProblem", "home_of", "prepare_home")

_FOLDERS: Final = ("backups", "tasks", "repos", "mirrors", "tmp")
_LOGS: Final = "logs"
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class HomeFault(StrEnum):
    """Why a home cannot be used, stable on the wire."""

    NOT_ABSOLUTE = "home_not_absolute"
    NOT_A_DIRECTORY = "home_not_a_directory"
    NOT_OURS = "home_not_ours"
    NOT_WRITABLE = "home_not_writable"
    DISK_FULL = "disk_full"


@dataclass(frozen=True, slots=True)
class HomeProblem:
    """The home, or the place at `path` in it, cannot be used."""

    path: str
    fault: HomeFault


@dataclass(frozen=True, slots=True)
class Home:
    """The paths of a home whose directories exist; `root` has no link in it."""

    root: Path

    @property
    def database(self) -> Path:
        return self.root / "kandev.db"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def backups(self) -> Path:
        return self.root / "backups"

    @property
    def tasks(self) -> Path:
        return self.root / "tasks"

    @property
    def repos(self) -> Path:
        return self.root / "repos"

    @property
    def mirrors(self) -> Path:
        return self.root / "mirrors"

    @property
    def tmp(self) -> Path:
        return self.root / "tmp"

    @property
    def secret_key(self) -> Path:
        return self.root / "secret.key"

    @property
    def api_token(self) -> Path:
        return self.root / "api-token"

    @property
    def lock(self) -> Path:
        return self.root / "server.lock"


def home_of(environment: Mapping[str, str], user_home: Path) -> Path:
    """Where the home is: `KANDEV_HOME`, else `.kandev` in the user's."""
    named = environment.get("KANDEV_HOME")
    return Path(named) if named else user_home / ".kandev"


def prepare_home(root: Path) -> Result[Home, HomeProblem]:
    """Make what is missing, each directory 0700, and see that the home can be written.

    The home itself is closed to others when it was not; a link to it is followed once. Where logs
    cannot be kept, the home can be used without.
    """
    if not root.is_absolute():
        return Failure(HomeProblem(str(root), HomeFault.NOT_ABSOLUTE))
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        home = Home(root.resolve(strict=True))
        found = home.root.stat()
        if found.st_uid != os.geteuid():
            return Failure(HomeProblem(str(root), HomeFault.NOT_OURS))
        if stat.S_IMODE(found.st_mode) & 0o077:
            home.root.chmod(0o700)
        for folder in _FOLDERS:
            (home.root / folder).mkdir(mode=0o700, exist_ok=True)
        with suppress(OSError):
            (home.root / _LOGS).mkdir(mode=0o700, exist_ok=True)
        with TemporaryFile(dir=home.tmp):
            pass
    except OSError as error:
        return Failure(HomeProblem(str(error.filename or root), _fault_of(error)))
    return Success(home)


def _fault_of(error: OSError) -> HomeFault:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return HomeFault.NOT_A_DIRECTORY
    return HomeFault.DISK_FULL if error.errno in _FULL else HomeFault.NOT_WRITABLE
