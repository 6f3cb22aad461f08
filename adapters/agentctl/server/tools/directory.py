"""The private directory of the managed tools: one an agentctl, rebuilt when wrong, then removed.

It is named by pid and start time of its agentctl, so that the next one knows an orphan.
"""

import errno
import os
import py_compile
import re
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Final, Self

from adapters.agentctl import process_stat
from adapters.agentctl.server.tools import mcp_bridge, socket_client
from adapters.agentctl.server.tools.texts import Machine, texts
from domain.managed_git import HELPER_NAME
from domain.outcome import failed
from ports.git import GitProcess

__all__ = ("ManagedTools",)

PROBE_SECONDS: Final = 10.0

_BRIDGE = "mcp_bridge.pyc"
_CLIENT = "socket_client.pyc"
_MODE = 0o700
_NAME = re.compile(r"([1-9][0-9]*)-([0-9]+)")


@dataclass(slots=True)
class ManagedTools:
    """The tools below `root` from `async with` on; leaving it removes them.

    `git` is asked what it can do; `search` is the `PATH` on which git and the rest are found.
    """

    root: Path
    git: GitProcess
    search: str
    directory: Path = field(init=False)
    _bridge: bytes = field(init=False, repr=False, default=b"")
    _client: bytes = field(init=False, repr=False, default=b"")
    _texts: Mapping[str, str] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        pid, started = process_stat.ourselves()
        self.directory = self.root / f"{pid}-{started}"

    @property
    def helper(self) -> Path:
        return self.directory / HELPER_NAME

    async def __aenter__(self) -> Self:
        """Make the tools, and remove those of every agentctl that is gone.

        Where they cannot be made, `mend` says so to whoever needs them. Raises `OSError` when not
        even their place can be.
        """
        self.root.mkdir(mode=_MODE, parents=True, exist_ok=True)
        self._sweep()
        self._bridge = _compiled(mcp_bridge, self.directory)
        if not await self._git_has_a_client():
            self._client = _compiled(socket_client, self.directory)
        self._texts = texts(self.directory, self._machine())
        with suppress(OSError):
            self.mend()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)

    def mend(self) -> None:
        """Make every file as it must be; what is right is left alone. Raises `OSError`."""
        if ":" in str(self.directory):
            reason = "a colon would make two places of one in PATH"
            raise OSError(errno.EINVAL, reason, str(self.directory))
        _make_private(self.directory)
        for name, text in self._texts.items():
            _make(self.directory / name, text.encode())
        if self._client:
            _make(self.directory / _CLIENT, self._client)

    def bridge(self) -> list[str]:
        """The words that start the bridge to a socket, whose path follows. Raises `OSError`."""
        _make_private(self.directory)
        _make(self.directory / _BRIDGE, self._bridge)
        return [sys.executable, "-I", "-S", str(self.directory / _BRIDGE)]

    async def _git_has_a_client(self) -> bool:
        """A git without unix sockets has the command, which then fails; no socket is no failure."""
        asked = await self.git(
            ["credential-cache", "--socket", str(self.directory / "none.sock"), "get"],
            directory=str(self.root),
            environment={"PATH": self.search},
            seconds=PROBE_SECONDS,
            isolated=True,
        )
        return not failed(asked)

    def _machine(self) -> Machine:
        git = self._find("git") or ""
        ours = [sys.executable, "-I", "-S", str(self.directory / _CLIENT)]
        return Machine(
            client=ours if self._client else [git, "credential-cache", "--socket"],
            git=git,
            mkdir=self._find("mkdir") or "mkdir",
            rm=self._find("rm") or "rm",
        )

    def _find(self, program: str) -> str | None:
        found = shutil.which(program, path=self.search)
        return None if found is None else str(Path.cwd() / found)

    def _sweep(self) -> None:
        for entry in self.root.iterdir():
            name = _NAME.fullmatch(entry.name)
            if name and not process_stat.is_running(int(name[1]), int(name[2])):
                shutil.rmtree(entry, ignore_errors=True)


def _compiled(program: ModuleType, directory: Path) -> bytes:
    """A program of ours as byte code, which starts in less time than its source."""
    target = directory.with_name(f".{directory.name}.pyc")
    try:
        py_compile.compile(str(program.__file__), cfile=str(target), doraise=True)
        return target.read_bytes()
    finally:
        target.unlink(missing_ok=True)


def _make_private(directory: Path) -> None:
    with suppress(FileExistsError):
        directory.mkdir(mode=_MODE, parents=True)
    facts = directory.lstat()
    if facts.st_mode & 0o170000 != 0o040000 or facts.st_uid != os.geteuid():
        raise OSError(errno.EEXIST, "not a directory of ours", str(directory))
    if facts.st_mode & 0o7777 != _MODE:
        directory.chmod(_MODE)


def _make(path: Path, content: bytes) -> None:
    if _is_right(path, content):
        return
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    partial = path.with_name(f".{path.name}")
    partial.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(partial, flags, _MODE), "wb") as file:
        file.write(content)
    partial.replace(path)


def _is_right(path: Path, content: bytes) -> bool:
    try:
        facts = path.lstat()
        ours = facts.st_mode & 0o177777 == 0o100000 | _MODE and facts.st_uid == os.geteuid()
        return ours and path.read_bytes() == content
    except OSError:
        return False
