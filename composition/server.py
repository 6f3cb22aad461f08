"""The control plane as a running server: what it opens, in which order, and how it is closed.

Everything is opened before the first request and closed after the last, each by one owner. A start
that fails says what failed, why, and what to do; nothing of it is left.
"""

import asyncio
import os
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
import uvicorn
from typing_extensions import override

from adapters.agentctl.keeper import Launching
from adapters.agents.named import FILE, read_named
from adapters.home.api_token import find_or_make_token
from adapters.home.layout import Home
from adapters.home.private_file import OwnedFile
from adapters.home.sockets import socket_directory
from adapters.http.app import create_app
from adapters.http.door import Door
from adapters.http.farewell import Farewell
from adapters.redactor.registry import Registry
from adapters.system.clock import SystemClock
from adapters.system.ids import SystemIds
from composition import start_sentences
from composition.container import ControlPlane
from composition.holding import held_home, keys, opened, secrets_of
from composition.logging import configure, thresholds_of
from composition.settings import VERSION, Settings
from composition.start_problem import CannotStart
from composition.tokens import HomeTokens
from composition.upkeep import upkeep
from domain.agent import Agent
from domain.http_door import loopback_hosts
from domain.outcome import failed
from domain.redaction import Redactor
from domain.secret import Secret
from domain.terminal import MAX_INPUT_BYTES

__all__ = ("Server", "started")

MAX_MESSAGE_BYTES: Final = 2 * MAX_INPUT_BYTES
"""Of a WebSocket: what is typed in a terminal, with room to say that it was too much."""

DRAIN_SECONDS: Final = 2
"""Requests that are under way when the server stops; an event stream never ends by itself."""

AGENTCTL: Final = (sys.executable, "-I", "-m", "composition.agentctl")
"""By this interpreter, isolated: a workspace cannot give it modules."""

log = structlog.get_logger()


@dataclass(slots=True)
class Server:
    """A running server. Set `end_sessions` to end agents and agentctl with it.

    `claim` is the code for the first account, as long as there is none.
    """

    url: str
    token: str
    claim: Secret | None = None
    end_sessions: bool = False


class _Uvicorn(uvicorn.Server):
    """Says when it is up; signals belong to the command that started it."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()

    @override
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def started(
    settings: Settings,
    *,
    port: int,
    owned: bool,
    environment: Mapping[str, str] | None = None,
    agentctl: Sequence[str] = AGENTCTL,
) -> AsyncIterator[Server]:
    """A server inside `async with`. Raises `CannotStart`.

    Its agentctl, started by the words `agentctl`, inherits `environment`, this process's own by
    default; an owned one ends with the server, another outlives it unless `end_sessions` is set.
    Port 0 is any free one.
    """
    inherited = dict(os.environ if environment is None else environment)
    async with AsyncExitStack() as stack:
        home, lock = stack.enter_context(held_home(settings))
        redactor = Registry(Redactor())
        for each in secrets_of(settings):
            redactor.register(each)
        logs = configure(home.logs, SystemClock(), redactor, thresholds_of(inherited), stack)
        store = await stack.enter_async_context(opened(settings, home))
        keyring = await keys(home, store)
        token = settings.api_token or api_token(home)
        redactor.register(Secret(token))
        listener = listen(settings.host, port)
        stack.callback(listener.close)
        sockets = sockets_of(home, inherited)
        plane = ControlPlane(
            settings=settings,
            home=home,
            store=store,
            keyring=keyring,
            redactor=redactor,
            sockets=sockets,
            environment=inherited,
            named=named_agents(home),
            logs=logs,
            launching=launching(agentctl, home, sockets, inherited, owned=owned),
        )
        plane.inside().open(plane.tools())
        keeper = await stack.enter_async_context(plane.keeper())
        await stack.enter_async_context(plane.followers())
        await stack.enter_async_context(plane.flights())
        recovered = await plane.recover()()
        log.info("recovered", **recovered.to_json())
        bound_host, bound_port = listener.getsockname()[:2]
        await stack.enter_async_context(plane.bundles())
        app = create_app(
            plane.api(),
            HomeTokens(Secret(token), store, SystemClock()),
            loopback_hosts(settings.host, bound_port),
            await stack.enter_async_context(plane.mcp()),
            settings.public,
        )
        await stack.enter_async_context(upkeep(plane.chores()))
        await stack.enter_async_context(serving(app, listener))
        shown = f"[{bound_host}]" if ":" in bound_host else bound_host
        server = Server(f"http://{shown}:{bound_port}", token, await plane.api().claim.offer())
        lock.announce(server.url)
        log.info("serving", url=server.url, version=VERSION)
        try:
            yield server
        finally:
            if server.end_sessions:
                await keeper.end()


def api_token(home: Home) -> str:
    found = find_or_make_token(OwnedFile(home.api_token), SystemIds(SystemClock()))
    if failed(found):
        raise start_sentences.token(found.failure())
    return found.unwrap().reveal()


def named_agents(home: Home) -> Sequence[Agent]:
    read = read_named(home.root / FILE)
    if failed(read):
        raise start_sentences.agents(read.failure())
    return read.unwrap()


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once (TCP_NODELAY) only on sockets that name their protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise CannotStart(
            "port_in_use",
            f"port {port} of {host} cannot be listened on: {error.strerror}",
            "Stop what listens there, or set KANDEV_PORT to another port.",
        ) from None
    listener.listen(2048)
    return listener


def sockets_of(home: Home, environment: Mapping[str, str]) -> Path:
    made = socket_directory(home.root, environment, Path(tempfile.gettempdir()).resolve())
    if failed(made):
        raise start_sentences.sockets(made.failure())
    return made.unwrap()


def launching(
    program: Sequence[str],
    home: Home,
    sockets: Path,
    environment: Mapping[str, str],
    *,
    owned: bool,
) -> Launching:
    command = [*program, "--home", str(home.root), "--runtime", str(sockets)]
    if owned:
        command.append("--owned")
    return Launching(command, environment, home.logs / "agentctl.log", owned)


@asynccontextmanager
async def serving(door: Door, listener: socket.socket) -> AsyncIterator[None]:
    """Uvicorn on a socket that is bound already, in a task that is joined at the end."""
    app = Farewell(door)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        proxy_headers=False,  # whose word on the client counts is the door's to say
        lifespan="on",
        timeout_graceful_shutdown=DRAIN_SECONDS,
        ws="auto",
        ws_max_size=MAX_MESSAGE_BYTES,
    )
    server = _Uvicorn(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    up = asyncio.create_task(server.up.wait())
    try:
        await asyncio.wait({running, up}, return_when=asyncio.FIRST_COMPLETED)
        if not server.up.is_set():
            raise CannotStart("not_started", "the server ended at once", "Read its log.")
        yield
    finally:
        server.should_exit = True
        app.say()
        up.cancel()
        await asyncio.wait({running, up})
