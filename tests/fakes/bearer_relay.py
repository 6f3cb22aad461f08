"""Adds a bearer token to the requests of a client that cannot be told one, and has them name the
server; the rest is as it was.

Every request has a connection of its own, so that only its head needs to be read.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

__all__ = ("bearer_relay",)

_CHUNK: Final = 64 * 1024


@asynccontextmanager
async def bearer_relay(url: str, token: str) -> AsyncIterator[str]:
    """The address at which requests for `url` are let in."""
    target = urlsplit(url)
    added = f"\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n".encode()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            writer.close()
            return
        there, back = await asyncio.open_connection(target.hostname, target.port)
        told = head.removesuffix(b"\r\n\r\n").replace(here.encode(), target.netloc.encode())
        back.write(told.replace(b"keep-alive", b"close") + added)
        ways = [asyncio.create_task(_copy(reader, back)), asyncio.create_task(_copy(there, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in ways:
                each.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            back.close()
            writer.close()

    connections: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(carry(reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    here = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield f"http://{here}{target.path}"
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_CHUNK):
        writer.write(data)
        await writer.drain()
