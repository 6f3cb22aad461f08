"""Who may use the database when: readers side by side, writers one after another.

Statements run on the event loop's thread, since one costs less than a hop. A writer of another
process (a migration, a checkpoint that truncates) is waited for without blocking the loop.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable
from pathlib import Path
from typing import Final, TypeVar

from adapters.sqlite.checkpointer import Checkpointer
from adapters.sqlite.connection import Connection, connect, is_busy, keep_a_log, unavailable
from ports.store import StoreFault, StoreUnavailable

__all__ = ("MAX_READERS", "WAIT_SECONDS", "Pool", "within")

MAX_READERS: Final = 8
"""Units that read at once; the next one waits for one to end."""
WAIT_SECONDS: Final = 30.0
"""How long a unit waits for its turn, or for another process, before the store counts as busy."""

Turn = TypeVar("Turn")

_FIRST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.05


class Pool:
    """The connections of one store; it belongs to the event loop that uses it."""

    def __init__(self, database: Path) -> None:
        self._database = database
        writer = connect(database)
        try:
            keep_a_log(writer)
            writer.execute("PRAGMA busy_timeout=0")
            self._checkpointer = Checkpointer(connect(database, busy=0))
        except sqlite3.Error:
            writer.close()
            raise
        self._writer = Connection(writer)
        self._writing = asyncio.Lock()
        self._readers = 0
        self._idle: list[Connection] = []
        self._waiting = 0
        self._returned: asyncio.Queue[Connection] = asyncio.Queue()
        self._checkpointer.start()

    def close(self) -> None:
        """Close every connection that is not in use; the last one empties the log."""
        self._checkpointer.stop()
        while not self._returned.empty():
            self._idle.append(self._returned.get_nowait())
        for connection in self._idle:
            connection.close()
        self._writer.tidy()
        self._writer.close()

    async def reader(self) -> Connection:
        """A connection to read with, to be given back by `give_back`."""
        return self._idle.pop() if self._idle else await self._another_reader()

    def give_back(self, connection: Connection) -> None:
        if self._waiting:
            self._returned.put_nowait(connection)
        else:
            self._idle.append(connection)

    async def begin_writing(self) -> Connection:
        """The writing connection in a transaction, to be given back by one of the two below."""
        if self._writing.locked():
            await within(self._writing.acquire())
        else:
            await self._writing.acquire()
        try:
            await self._take_the_writer()
        except BaseException:
            self._writing.release()
            raise
        return self._writer

    def commit(self) -> None:
        """Make the unit durable against the end of this process, or undo it and say why not."""
        try:
            self._writer.commit()
        except BaseException:
            self.undo()
            raise
        self._writing.release()
        self._checkpointer.committed()

    def undo(self) -> None:
        self._writer.roll_back()
        self._writing.release()

    async def _another_reader(self) -> Connection:
        if self._readers == MAX_READERS:
            self._waiting += 1
            try:
                return await within(self._returned.get())
            finally:
                self._waiting -= 1
        try:
            connection = Connection(connect(self._database))
            connection.forbid_changes()
        except sqlite3.OperationalError as error:
            raise unavailable(error) from error
        self._readers += 1
        return connection

    async def _take_the_writer(self) -> None:
        """SQLite tells nobody when its writer is free again, so another process is asked anew."""
        deadline = asyncio.get_running_loop().time() + WAIT_SECONDS
        pause = _FIRST_PAUSE
        while True:
            try:
                return self._writer.take_the_writer()
            except sqlite3.OperationalError as error:
                if not is_busy(error) or asyncio.get_running_loop().time() + pause > deadline:
                    raise unavailable(error) from error
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


async def within(turn: Awaitable[Turn]) -> Turn:
    """What a unit waits for its turn; raises `StoreUnavailable` when it does not come."""
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            return await turn
    except TimeoutError:
        raise StoreUnavailable(StoreFault.BUSY) from None
