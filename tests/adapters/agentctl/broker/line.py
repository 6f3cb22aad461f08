"""The relay of a test: agentctl's end behind a real server, the control plane's end as it is."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
import uvicorn
from litestar import Litestar, WebSocket, websocket
from litestar.params import QueryParameter
from typing_extensions import override
from websockets.asyncio.client import ClientConnection, unix_connect

from adapters.agentctl.relay_client import RelayClient
from adapters.agentctl.server.listening import bind
from adapters.agentctl.server.relay import AskProblem, Relay
from adapters.agentctl.wire import CredentialAsk
from domain.broker_bounds import BrokerBounds
from domain.identity import ExecutionId
from domain.outcome import Result
from domain.secret import Secret
from tests.eventually import eventually
from tests.fakes.credentials import FakeCredentials
from tests.fakes.redactor import ListingRedactor
from tests.fakes.tools import FakeTools

__all__ = ("ASK", "OURS", "Line", "line_of")

OURS = ExecutionId("e1")
ASK = CredentialAsk("get", "forge.example", "/a/b", "kdl_a", "kdc_a", 42, "inside")


class _Uvicorn(uvicorn.Server):
    @override
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass
class Line:
    """A relay that listens, and control planes that come and go."""

    relay: Relay
    redactor: ListingRedactor
    credentials: FakeCredentials
    socket: str
    group: asyncio.TaskGroup
    tools: FakeTools = field(default_factory=FakeTools)
    planes: list[asyncio.Task[None]] = field(default_factory=list)
    secrets: list[Secret] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)

    def connect(self, epoch: int = 1) -> asyncio.Task[None]:
        """Run the control plane's end until it is cancelled or superseded."""
        client = RelayClient(self.credentials, self._known, self._created, self.tools)
        self.planes.append(self.group.create_task(client.run(self.socket, self._bearer, epoch)))
        return self.planes[-1]

    def attend(self, epoch: int = 1) -> None:
        """Have the control plane's end there until the relay closes."""
        self.connect(epoch).set_name("control plane")

    @asynccontextmanager
    async def bare(self, epoch: int = 1) -> AsyncIterator[ClientConnection]:
        """A connection without our client behind it."""
        uri = f"ws://agentctl/api/v1/relay?epoch={epoch}"
        async with unix_connect(self.socket, uri=uri, compression=None) as connection:
            yield connection

    async def ask(self, execution: ExecutionId = OURS) -> Result[msgspec.Raw, AskProblem]:
        return await self.relay.ask("credential", execution, msgspec.json.encode(ASK))

    async def _bearer(self) -> str:
        return "session"

    async def _known(self) -> Sequence[Secret]:
        return self.secrets

    async def _created(self, execution: ExecutionId) -> bool:
        return execution == OURS


@asynccontextmanager
async def line_of(bounds: BrokerBounds) -> AsyncIterator[Line]:
    redactor = ListingRedactor()
    relay = Relay(redactor, bounds)
    headers: list[str] = []

    @websocket("/api/v1/relay")
    async def route(
        socket: WebSocket[Any, Any, Any], epoch: Annotated[int, QueryParameter()]
    ) -> None:
        headers.append(socket.headers.get("authorization", ""))
        await relay.hold(socket, epoch)

    app = Litestar([route], logging_config=None, openapi_config=None)
    config = uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=1)
    server = _Uvicorn(config)
    with tempfile.TemporaryDirectory(prefix="kd") as folder:
        path = Path(folder) / "s"
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(server.serve(sockets=[bind(path)]))
            await eventually(lambda: server.started)
            async with asyncio.TaskGroup() as planes:
                line = Line(relay, redactor, FakeCredentials(), str(path), planes, headers=headers)
                try:
                    yield line
                finally:
                    for plane in line.planes:
                        plane.cancel()
            server.should_exit = True
            await serving
