"""One program that runs: its pipes, its exit, and the end of everything that it started."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from io import FileIO
from typing import cast

from adapters.process.ending import gone, send
from adapters.process.pipes import Input, Output
from adapters.process.table import Identity, Root, Scanner
from ports.processes import Exit

__all__ = ("OUTPUT_GRACE", "LocalChild")

OUTPUT_GRACE = 1.0
"""Seconds that an output may stay open after the program has ended."""


class LocalChild:
    """`ports.processes.Child` over `subprocess.Popen` and a pidfd."""

    __slots__ = (
        "_ended",
        "_exited",
        "_pidfd",
        "_popen",
        "_root",
        "_scan",
        "_stderr",
        "_stdin",
        "_stdout",
    )

    def __init__(
        self,
        popen: "subprocess.Popen[bytes]",
        root: Root,
        scan: Scanner,
        on_stdout: Callable[[bytes], None],
        on_stderr: Callable[[bytes], None],
    ) -> None:
        loop = asyncio.get_running_loop()
        self._popen = popen
        self._root = root
        self._scan = scan
        self._exited: asyncio.Future[Exit] = loop.create_future()
        self._ended: asyncio.Future[Exit] = loop.create_future()
        self._stdin = Input()
        self._stdout = Output(cast("FileIO", popen.stdout), on_stdout, self._settle)
        self._stderr = Output(cast("FileIO", popen.stderr), on_stderr, self._settle)
        self._pidfd = os.pidfd_open(popen.pid)
        loop.add_reader(self._pidfd, self._reap)

    async def connect(self) -> None:
        """Attach the pipes to the running loop."""
        loop = asyncio.get_running_loop()
        await loop.connect_write_pipe(lambda: self._stdin, self._popen.stdin)
        await loop.connect_read_pipe(lambda: self._stdout, self._popen.stdout)
        await loop.connect_read_pipe(lambda: self._stderr, self._popen.stderr)

    @property
    def pid(self) -> int:
        return self._root.identity.pid

    @property
    def started(self) -> int:
        return self._root.identity.started

    async def write(self, data: bytes) -> None:
        await self._stdin.write(data)

    def close_stdin(self) -> None:
        self._stdin.close()

    def pause_stdout(self) -> None:
        self._stdout.pause()

    def resume_stdout(self) -> None:
        self._stdout.resume()
        if self._exited.done():
            self._give_up_later()

    async def wait(self) -> Exit:
        return await asyncio.shield(self._ended)

    async def stop(self, *, polite: float, terminate: float, kill: float) -> Exit:
        family = await self._family(())
        self.close_stdin()
        await self._over((), polite)

        family = await self._family(family)
        self._signal(family, signal.SIGTERM)
        await self._over(family, terminate)

        await self._kill(family, kill)
        self._stdout.give_up()
        self._stderr.give_up()
        return await self.wait() if self._exited.done() else Exit(None, signal.SIGKILL)

    async def _kill(self, family: Collection[Identity], seconds: float) -> None:
        """What is killed may have forked just before: look again until nobody is left."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        left = await self._family(family)
        while left or not self._exited.done():
            self._signal(left, signal.SIGKILL)
            await self._over(left, end - loop.time())
            if loop.time() >= end:
                return
            left = await self._family(left)

    async def _over(self, family: Collection[Identity], seconds: float) -> None:
        """Until the program and its family have ended, at most `seconds`."""
        end = asyncio.get_running_loop().time() + seconds
        await gone(family, seconds)
        await asyncio.wait({self._exited}, timeout=end - asyncio.get_running_loop().time())

    async def _family(self, known: Iterable[Identity]) -> set[Identity]:
        return (await self._scan()).belonging(self._root, known)

    def _signal(self, family: Iterable[Identity], number: signal.Signals) -> None:
        """The group at one blow, as long as its number is surely ours; then those who left it."""
        if not self._exited.done():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)
        send(family, number)

    def _reap(self) -> None:
        code = self._popen.poll()
        if code is None:
            return
        asyncio.get_running_loop().remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._stdin.abort()
        self._exited.set_result(Exit(code, None) if code >= 0 else Exit(None, -code))
        self._settle()
        self._give_up_later()

    def _give_up_later(self) -> None:
        if not self._ended.done():
            asyncio.get_running_loop().call_later(OUTPUT_GRACE, self._give_up)

    def _give_up(self) -> None:
        """A paused output waits for its owner: what it holds was written before the end."""
        if not self._stdout.paused:
            self._stdout.give_up()
        self._stderr.give_up()

    def _settle(self) -> None:
        if (
            self._exited.done()
            and self._stdout.ended
            and self._stderr.ended
            and not self._ended.done()
        ):
            self._ended.set_result(self._exited.result())
