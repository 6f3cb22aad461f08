"""Who may use the database when: readers side by side, writers one after another.

Statements run on the event loop's thread, since one costs less than a hop. A writer of another
process (a migration, a checkpoint that truncates) is waited for without blocking the loop.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable
from pathlib import Path
from typing import Final

from adapters.sqlite.checkpointer import Checkpointer
from adapters.sqlite.connection import Connection, connect, is_busy, unavailable
from ports.store import StoreFault, StoreUnavailable

__all__ = ("MAX_READERS", "WAIT_SECONDS", "Pool")

MAX_READERS: Final = 8
"""Units that read at once; the next one waits for one to end."""
WAIT_SECONDS: Final = 30.0
"""How long a unit waits for its turn, or for another process, before the store counts as busy."""

_FIRST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.05


class Pool:
    """The connections of one store; it belongs to the event loop that uses it."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._writer = Connection(connect(database, busy=0))
        self._writing = asyncio.Lock()
        self._reading = asyncio.Semaphore(MAX_READERS)
        self._idle: list[Connection] = []
        self._checkpointer = Checkpointer(database)
        self._checkpointer.start()

    def close(self) -> None:
        """Close every connection that is not in use; the last one empties the log."""
        self._checkpointer.stop()
        while self._idle:
            self._idle.pop().close()
        self._writer.close()

    async def begin_reading(self) -> Connection:
        """A connection in a transaction, to be given back by `end_reading`."""
        if self._reading.locked():
            await _within(self._reading.acquire())
        else:
            await self._reading.acquire()
        try:
            connection = self._idle.pop() if self._idle else self._open_reader()
            connection.begin("DEFERRED")
        except sqlite3.OperationalError as error:
            self._reading.release()
            raise unavailable(error) from error
        return connection

    def end_reading(self, connection: Connection) -> None:
        connection.roll_back()
        self._idle.append(connection)
        self._reading.release()

    async def begin_writing(self) -> Connection:
        """The writing connection in a transaction, to be given back by one of the two below."""
        if self._writing.locked():
            await _within(self._writing.acquire())
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

    def _open_reader(self) -> Connection:
        connection = Connection(connect(self._database))
        connection.forbid_changes()
        return connection

    async def _take_the_writer(self) -> None:
        """SQLite tells nobody when its writer is free again, so another process is asked anew."""
        deadline = asyncio.get_running_loop().time() + WAIT_SECONDS
        pause = _FIRST_PAUSE
        while True:
            try:
                return self._writer.begin("IMMEDIATE")
            except sqlite3.OperationalError as error:
                if not is_busy(error) or asyncio.get_running_loop().time() + pause > deadline:
                    raise unavailable(error) from error
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


async def _within(turn: Awaitable[object]) -> None:
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            await turn
    except TimeoutError:
        raise StoreUnavailable(StoreFault.BUSY) from None
