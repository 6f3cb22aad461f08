"""Who may use the database when: readers side by side, writers one after another.

The writing connection holds an advisory lock of the database as long as it lives, so that one
server owns the database; when it breaks, the next writer takes the lock anew, or nobody writes.
"""

import asyncio
from typing import Final

from adapters.sqlite.pool import MAX_READERS, within
from adapters.sqlite.postgresql.connection import Connection, connect
from domain.secret import Secret
from ports.store import StoreFault, StoreUnavailable

__all__ = ("HELD_SECONDS", "OWNER_LOCK", "Held", "Pool", "own")

OWNER_LOCK: Final = int.from_bytes(b"kandev")
"""The key of the advisory lock that the owner of a database holds."""
HELD_SECONDS: Final = 5
"""How long the end of an owner that was just killed is waited for."""


class Held(Exception):  # noqa: N818 -- it says what is
    """Another server owns the database."""


async def own(address: Secret) -> Connection:
    """The writing connection, which owns the database.

    Raises `Held` when another does, `StoreUnavailable` when there is no connection.
    """
    connection = await connect(address)
    try:
        await connection.tell(f"SET lock_timeout = '{HELD_SECONDS}s'")
        await connection.tell(f"SELECT pg_advisory_lock({OWNER_LOCK})")
    except StoreUnavailable as error:
        await connection.close()
        if error.fault is StoreFault.BUSY:
            raise Held from None
        raise
    except BaseException:
        await connection.close()
        raise
    return connection


class Pool:
    """The connections of one store; it belongs to the event loop that uses it."""

    def __init__(self, address: Secret, owner: Connection) -> None:
        self._address = address
        self._writer = owner
        self._writing = asyncio.Lock()
        self._reading = asyncio.Semaphore(MAX_READERS)
        self._idle: list[Connection] = []

    async def close(self) -> None:
        """Close every connection that is not in use, and give the database up."""
        for connection in (*self._idle, self._writer):
            await connection.close()

    async def reader(self) -> Connection:
        """A connection in a transaction, to be given back by `give_back`."""
        await within(self._reading.acquire())
        try:
            return await self._begun()
        except BaseException:
            self._reading.release()
            raise

    async def give_back(self, connection: Connection) -> None:
        kept = False
        try:
            kept = await connection.roll_back()
        finally:
            if kept:
                self._idle.append(connection)
            else:
                await connection.close()
            self._reading.release()

    async def begin_writing(self) -> Connection:
        """The writing connection in a transaction, to be given back by one of the two below."""
        await within(self._writing.acquire())
        try:
            try:
                await self._writer.begin_writing()
            except StoreUnavailable:
                if not self._writer.is_broken:
                    raise
                await self._own_again()
                await self._writer.begin_writing()
        except BaseException:
            self._writing.release()
            raise
        return self._writer

    async def commit(self) -> None:
        """Make the unit durable, or undo it and say why not."""
        try:
            await self._writer.commit()
        except BaseException:
            await self.undo()
            raise
        self._writing.release()

    async def undo(self) -> None:
        clean = False
        try:
            clean = await self._writer.roll_back()
        finally:
            if not clean:
                await self._writer.close()
            self._writing.release()

    async def _begun(self) -> Connection:
        """An idle connection that the server has not ended, else another one."""
        while self._idle:
            connection = self._idle.pop()
            try:
                await connection.begin()
            except StoreUnavailable:
                await connection.close()
            except BaseException:
                await connection.close()
                raise
            else:
                return connection
        connection = await connect(self._address)
        try:
            await connection.begin()
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _own_again(self) -> None:
        try:
            self._writer = await own(self._address)
        except Held:
            raise StoreUnavailable(StoreFault.BUSY) from None
