"""An agentctl's inside, served on a unix socket and on a port of the loopback."""

import asyncio
import secrets
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from typing_extensions import override

from adapters.agentctl.connection import AgentctlConnection
from adapters.agentctl.proof import KEY_BYTES, Proofs
from adapters.agentctl.runtime import Keeper
from adapters.agentctl.server.app import create_app
from adapters.agentctl.server.listening import bind
from adapters.agentctl.server.presence import Presence
from adapters.agentctl.server.routes import Core
from composition.agentctl_container import listen_on_loopback
from domain.outcome import Result, Success
from ports.runtime import RuntimeProblem
from tests.adapters.agentctl.server.conftest import House, house_in
from tests.fakes.clock import ManualClock
from tests.fakes.relay_holder import FakeRelay

__all__ = ("Kept", "Served", "served")

KEY = b"k" * KEY_BYTES


class Kept(Keeper):
    """Keeps one connection."""

    def __init__(self, connection: AgentctlConnection) -> None:
        self.connection = connection

    @override
    async def ensure(self) -> Result[AgentctlConnection, RuntimeProblem]:
        return Success(self.connection)

    @override
    def present(self) -> AgentctlConnection | None:
        return self.connection


@dataclass(frozen=True)
class Served:
    house: House
    unix: str
    tcp: str

    @asynccontextmanager
    async def keeper(self, transport: str) -> AsyncIterator[Kept]:
        """One connection, over `unix` or `tcp`."""
        connection = AgentctlConnection(getattr(self, transport), KEY, secrets.token_bytes)
        try:
            yield Kept(connection)
        finally:
            await connection.close()


@asynccontextmanager
async def served(home: Path, **options: Any) -> AsyncIterator[Served]:
    """`options` are those of a house."""
    with tempfile.TemporaryDirectory(prefix="kandev-") as short:
        path = Path(short) / "ctl.sock"
        async with house_in(home, **options) as house:
            core = Core(
                house.instances,
                Proofs(KEY, secrets.token_bytes),
                FakeRelay(),
                "9",
                77,
                house.removal,
                house.bundles,
                house.git,
            )
            app = create_app(core, Presence(ManualClock().monotonic))
            with bind(path) as unix, listen_on_loopback(0) as tcp:
                async with serving(app, [unix, tcp]):
                    port = tcp.getsockname()[1]
                    yield Served(house, str(path), f"http://127.0.0.1:{port}")


@asynccontextmanager
async def serving(app: Any, sockets: list[socket.socket]) -> AsyncIterator[None]:
    config = uvicorn.Config(
        app, http="httptools", lifespan="off", log_config=None, access_log=False
    )
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=sockets)
    beating = asyncio.create_task(server.main_loop())
    try:
        yield
    finally:
        server.should_exit = True
        await beating
        await server.shutdown(sockets=sockets)
