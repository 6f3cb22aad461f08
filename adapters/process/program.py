"""One program that runs: its exit, and the end of everything that it started.

How it is spoken to is the business of who knows its pipes, or its terminal.
"""

import asyncio
import os
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from contextlib import suppress

from adapters.process.ending import gone, send
from adapters.process.table import Identity, Root, Scanner
from ports.processes import Exit

__all__ = ("OUTPUT_GRACE", "Program")

OUTPUT_GRACE = 1.0
"""Seconds that an output may stay open after the program has ended."""


class Program(ABC):
    """Over `subprocess.Popen` and a pidfd; a session's leader."""

    __slots__ = ("_awaited", "_ended", "_exited", "_pidfd", "_popen", "_root", "_scan")

    def __init__(self, popen: "subprocess.Popen[bytes]", root: Root, scan: Scanner) -> None:
        loop = asyncio.get_running_loop()
        self._popen = popen
        self._root = root
        self._scan = scan
        self._exited: asyncio.Future[Exit] = loop.create_future()
        self._ended = False
        self._awaited: asyncio.Future[Exit] | None = None
        self._pidfd = os.pidfd_open(popen.pid)
        loop.add_reader(self._pidfd, self._reap)

    @property
    def pid(self) -> int:
        return self._root.identity.pid

    @property
    def started(self) -> int:
        return self._root.identity.started

    async def wait(self) -> Exit:
        if self._ended:
            return self._exited.result()
        if self._awaited is None:
            self._awaited = asyncio.get_running_loop().create_future()
        return await asyncio.shield(self._awaited)

    async def stop(self, *, polite: float, terminate: float, kill: float) -> Exit:
        family = await self._family(())
        self._ask_to_end()
        await self._over((), polite)

        family = await self._family(family)
        self._signal(family, signal.SIGTERM)
        await self._over(family, terminate)

        await self._kill(family, kill)
        self._abandon_outputs()
        return await self.wait() if self._exited.done() else Exit(None, signal.SIGKILL)

    @abstractmethod
    def _ask_to_end(self) -> None:
        """What a program that behaves ends on."""

    @abstractmethod
    def _at_exit(self) -> None:
        """It has just ended."""

    @abstractmethod
    def _outputs_ended(self) -> bool:
        """Whether everything that it wrote was delivered."""

    @abstractmethod
    def _abandon_outputs(self) -> None:
        """Deliver what is there, and read no more."""

    @abstractmethod
    def _give_up(self) -> None:
        """It has ended a while ago, and somebody still holds an output open."""

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
        self._exited.set_result(Exit(code, None) if code >= 0 else Exit(None, -code))
        self._at_exit()
        self._settle()
        self._give_up_later()

    def _give_up_later(self) -> None:
        if not self._ended:
            asyncio.get_running_loop().call_later(OUTPUT_GRACE, self._give_up)

    def _settle(self) -> None:
        if self._exited.done() and self._outputs_ended() and not self._ended:
            self._ended = True
            if self._awaited is not None:
                self._awaited.set_result(self._exited.result())
