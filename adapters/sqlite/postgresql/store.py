"""The store on PostgreSQL: the units and repositories of the one on SQLite."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
)
from types import TracebackType

from typing_extensions import override

from adapters.sqlite.changes import Followers
from adapters.sqlite.postgresql.pool import Held, Pool, own
from adapters.sqlite.postgresql.upgrade import NAME, upgrade
from adapters.sqlite.store import SqliteReader, SqliteWriter, StoreRefused
from adapters.sqlite.upgrade import DatabaseHeld, Unusable, Upgraded, known_migrations
from domain.outcome import failed
from domain.secret import Secret
from domain.upgrade import Program
from ports.changes import Following
from ports.clock import Clock
from ports.store import Reader, StoreUnavailable, Writer

__all__ = ("PostgresStore", "open_postgres_store")


class PostgresStore:
    """`upgraded` says what was done to the database when it was opened."""

    __slots__ = ("_clock", "_followers", "_pool", "upgraded")

    def __init__(self, pool: Pool, clock: Clock, upgraded: Upgraded) -> None:
        self._pool = pool
        self._clock = clock
        self._followers = Followers()
        self.upgraded = upgraded

    def read(self) -> "Reading":
        return Reading(self._pool)

    def write(self) -> "Writing":
        return Writing(self._pool, self._clock, self._followers)

    def follow(self) -> AbstractContextManager[Following]:
        return self._followers.follow()


class Reading(AbstractAsyncContextManager[Reader]):
    """One consistent state, from the first question on."""

    __slots__ = ("_connection", "_pool", "_unit")

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def __aenter__(self) -> SqliteReader:
        self._connection = await self._pool.reader()
        self._unit = SqliteReader(self._connection)
        return self._unit

    @override
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._unit.end()
        await self._pool.give_back(self._connection)


class Writing(AbstractAsyncContextManager[Writer]):
    """Everything or nothing; what happened to tasks is published with it."""

    __slots__ = ("_clock", "_followers", "_pool", "_unit")

    def __init__(self, pool: Pool, clock: Clock, followers: Followers) -> None:
        self._pool = pool
        self._clock = clock
        self._followers = followers

    @override
    async def __aenter__(self) -> SqliteWriter:
        self._unit = SqliteWriter(await self._pool.begin_writing())
        return self._unit

    @override
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._unit.end()
            await self._pool.undo()
            return
        try:
            await self._unit.publish(self._clock.now())
        except BaseException:
            await self._pool.undo()
            raise
        finally:
            self._unit.end()
        await self._pool.commit()
        self._followers.publish(self._unit.noted)


@asynccontextmanager
async def open_postgres_store(
    address: Secret, *, version: str, clock: Clock
) -> AsyncGenerator[PostgresStore]:
    """Own the database, upgrade it if it has to be, and hold it open.

    `address` is a URL or a connection string of libpq. Raises `StoreRefused` when this program
    cannot open the database; it is unchanged then.
    """
    try:
        owner = await own(address)
    except Held:
        raise StoreRefused(DatabaseHeld()) from None
    except StoreUnavailable as error:
        raise StoreRefused(Unusable(NAME, error.fault)) from None
    pool = Pool(address, owner)
    try:
        program = Program(version, known_migrations())
        upgraded = await asyncio.to_thread(upgrade, address, program, clock.now())
        if failed(upgraded):
            raise StoreRefused(upgraded.failure())
        yield PostgresStore(pool, clock, upgraded.unwrap())
    finally:
        await pool.close()
