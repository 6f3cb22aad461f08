"""The private directory of the managed tools: made at every start, rebuilt whenever it is wrong."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.agentctl.server.tools import scripts, socket_client
from domain.managed_git import HELPER_NAME

__all__ = ("SHELL_START", "NoGit", "Tools", "has_socket_client")

SHELL_START: Final = "shell-start.sh"
_PROBE_SECONDS = 10.0


class NoGit(OSError):  # noqa: N818 -- says what is the case
    """There is no git on the `PATH` of agentctl."""


def has_socket_client(git: str) -> bool:
    """Whether this git was built with unix sockets: only then it knows `credential-cache`."""
    done = subprocess.run(
        [git, "credential-cache", "-h"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_PROBE_SECONDS,
        check=False,
    )
    return b"--socket" in done.stdout + done.stderr


@dataclass(frozen=True, slots=True)
class Tools:
    """`directory` is absolute and has no colon; `texts` maps each file to what it holds."""

    directory: Path
    texts: Mapping[str, str]

    @classmethod
    def at(cls, directory: Path, search_path: str | None = None) -> "Tools":
        """Decide what the tools say on this machine. Raises `NoGit`."""
        found = shutil.which("git", path=search_path)
        if found is None:
            raise NoGit("git is not installed")
        git = str(Path(found).resolve())
        client = Path(socket_client.__file__)
        helper = (
            scripts.helper(git)
            if has_socket_client(git)
            else scripts.fallback_helper(sys.executable, str(client))
        )
        return cls(
            directory,
            {
                HELPER_NAME: helper,
                "gh": scripts.gh(git),
                "agentctl": scripts.agentctl(str(directory / HELPER_NAME), sys.executable),
                SHELL_START: scripts.shell_start(str(directory)),
            },
        )

    @property
    def helper(self) -> Path:
        return self.directory / HELPER_NAME

    def mend(self) -> None:
        """Make every file as it must be; what is right is left alone. Raises `OSError`."""
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = self.directory.lstat()
        if self.directory.is_symlink() or facts.st_uid != os.getuid():
            raise OSError("the directory of the managed tools is not ours")
        if facts.st_mode & 0o777 != 0o700:
            self.directory.chmod(0o700)
        for name, text in self.texts.items():
            if not _is_right(self.directory / name, text):
                self._write(name, text)

    def remove(self) -> None:
        """Remove what was made, and only that."""
        for name in self.texts:
            (self.directory / name).unlink(missing_ok=True)
        if self.directory.is_dir():
            self.directory.rmdir()

    def _write(self, name: str, text: str) -> None:
        partial = self.directory / f".{name}.{os.getpid()}"
        partial.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(partial, flags, 0o700), "w", encoding="utf-8") as file:
            file.write(text)
        partial.replace(self.directory / name)


def _is_right(path: Path, text: str) -> bool:
    try:
        facts = path.lstat()
        regular = facts.st_mode & 0o170777 == 0o100700 and facts.st_uid == os.getuid()
        return regular and path.read_text(encoding="utf-8") == text
    except (OSError, ValueError):
        return False
