"""Starting programs without a copy of ourselves: `vfork`, whatever the event loop.

Neither `preexec_fn` nor an event loop's own subprocesses are used: both fork, which costs in
proportion to our memory.
"""

import asyncio
import errno
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from adapters.process.child import LocalChild
from adapters.process.table import Identity, Root, Scanner, read
from domain.outcome import Failure, Result, Success, failed
from ports.processes import Child, SpawnCode, SpawnFailed

__all__ = ("EXECUTION_MARKER", "LocalProcesses", "code_of")

EXECUTION_MARKER: Final = "KANDEV_EXECUTION_ID"
"""The variable by which what an agent left behind is still known as its own."""

_CODES: Final[Mapping[int, SpawnCode]] = {
    errno.ENOENT: SpawnCode.NOT_FOUND,
    errno.ENOTDIR: SpawnCode.NOT_FOUND,
    errno.ELOOP: SpawnCode.NOT_FOUND,
    errno.ENAMETOOLONG: SpawnCode.NOT_FOUND,
    errno.EACCES: SpawnCode.NOT_EXECUTABLE,
    errno.EPERM: SpawnCode.NOT_EXECUTABLE,
    errno.ENOEXEC: SpawnCode.NOT_EXECUTABLE,
    errno.ETXTBSY: SpawnCode.NOT_EXECUTABLE,
    errno.E2BIG: SpawnCode.TOO_BIG,
    errno.EAGAIN: SpawnCode.NO_RESOURCES,
    errno.EMFILE: SpawnCode.NO_RESOURCES,
    errno.ENFILE: SpawnCode.NO_RESOURCES,
    errno.ENOMEM: SpawnCode.NO_RESOURCES,
}

_POPEN_PIPES: Final = 4
"""The child's three, and the one on which Popen hears that it could not start."""


class LocalProcesses:
    """`ports.processes.Processes` on this machine.

    `marker` names a variable; where a child's environment has it, `stop` also ends the orphans that
    carry the same value. Only what owns everything under that value should be started with one.
    """

    __slots__ = ("_marker", "_scan")

    def __init__(self, marker: str | None = EXECUTION_MARKER) -> None:
        self._marker = marker
        self._scan = Scanner()

    async def start(
        self,
        command: Sequence[str],
        *,
        directory: str,
        environment: Mapping[str, str],
        on_stdout: Callable[[bytes], None],
        on_stderr: Callable[[bytes], None],
    ) -> Result[Child, SpawnFailed]:
        opened = _open(command, directory, environment)
        if failed(opened):
            return opened
        popen = opened.unwrap()
        try:
            root = self._root(popen, environment)
            child = LocalChild(popen, root, self._scan, on_stdout, on_stderr)
        except OSError as problem:
            _abandon(popen)
            return Failure(SpawnFailed(code_of(problem), command[0]))
        connecting = asyncio.ensure_future(child.connect())
        try:
            await asyncio.shield(connecting)
        except BaseException:
            # Pipes that are half attached are neither read nor closed: attach them first.
            await asyncio.wait({connecting})
            await child.stop(polite=0, terminate=0, kill=1)
            raise
        return Success(child)

    def _root(self, popen: "subprocess.Popen[bytes]", environment: Mapping[str, str]) -> Root:
        # Not reaped yet, so it is in the table even when it has ended.
        process = read(popen.pid)
        assert process is not None
        value = environment.get(self._marker) if self._marker else None
        marker = os.fsencode(f"{self._marker}={value}") if value else None
        return Root(Identity(popen.pid, process.identity.started), marker)


def _open(
    command: Sequence[str], directory: str, environment: Mapping[str, str]
) -> "Result[subprocess.Popen[bytes], SpawnFailed]":
    program = command[0]
    if not program.startswith("/"):
        return Failure(SpawnFailed(SpawnCode.NOT_FOUND, program))
    try:
        _find_room()
        popen = subprocess.Popen(
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        # It is kept as long as the program runs, and may be long.
        popen.args = program
        return Success(popen)
    except OSError as problem:
        # Popen names the directory when entering it was what failed.
        if problem.filename == directory:
            return Failure(SpawnFailed(SpawnCode.NO_DIRECTORY, program))
        return Failure(SpawnFailed(code_of(problem), program))


def _find_room() -> None:
    """Raises what opening too much does: Popen keeps its first pipes then, before Python 3.11.4."""
    taken: list[int] = []
    try:
        for _ in range(_POPEN_PIPES):
            taken.extend(os.pipe())
    finally:
        for descriptor in taken:
            os.close(descriptor)


def code_of(problem: OSError) -> SpawnCode:
    """What an error of starting means; raises one that means nothing."""
    code = _CODES.get(problem.errno or 0)
    if code is None:
        raise problem
    return code


def _abandon(popen: "subprocess.Popen[bytes]") -> None:
    popen.kill()
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        if pipe is not None:
            pipe.close()
    popen.wait()
