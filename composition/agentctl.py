"""agentctl's process: `python -I -m composition.agentctl --home DIR --runtime DIR`.

It reads its key, 32 bytes, from stdin, says in one line of JSON on stdout where it listens and
which process it is, and serves until it is told to end or nobody needs it any more. With `--owned`
it ends with its stdin; with `--tcp PORT` it listens on the loopback, too.
"""

import argparse
import asyncio
import importlib
import json
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final

import structlog
import uvicorn
import uvloop
from typing_extensions import override

from adapters.agentctl.proof import KEY_BYTES
from adapters.agentctl.server.vigil import vigil
from adapters.logs.logs import Thresholds
from adapters.redactor.registry import Registry
from adapters.system.clock import SystemClock
from composition.agentctl_container import (
    Container,
    Place,
    listen,
    listen_on_loopback,
    private,
)
from composition.logging import configure, thresholds_of
from composition.memory import hide_memory
from composition.settings import VERSION
from domain.log_queue import Level

__all__ = ("main",)

log = structlog.get_logger()

KEY_SECONDS: Final = 5.0
"""How long the key is waited for; without one only health is served."""

DESCRIPTORS: Final = 16_384
"""As many as we take where the limit allows it: an instance needs six."""

_STDIN = 0
_GRACE_SECONDS = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until the end; the exit status of the process."""
    asked = _parser().parse_args(arguments)
    try:
        place = Place(private(asked.home), private(asked.runtime))
        listener = listen(place.runtime)
        loopback = None if asked.tcp is None else listen_on_loopback(asked.tcp)
    except OSError as error:
        print(f"agentctl: {error}", file=sys.stderr)  # noqa: T201 -- before there is a log
        return 1
    hide_memory()
    _take_descriptors()
    key = _read_key()
    with ExitStack() as stack:
        stack.enter_context(_owned(listener))
        if loopback is not None:
            stack.enter_context(loopback)
        uvloop.run(_serve(place, key, listener, loopback, owned=asked.owned))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="agentctl", description="Hosts agents beside their work.")
    parser.add_argument("--home", type=Path, required=True, help="where logs of events are kept")
    parser.add_argument("--runtime", type=Path, required=True, help="where sockets are made")
    parser.add_argument("--tcp", type=int, metavar="PORT", help="listen on the loopback too")
    parser.add_argument("--owned", action="store_true", help="end when stdin is closed")
    return parser


async def _serve(
    place: Place,
    key: bytes | None,
    listener: socket.socket,
    loopback: socket.socket | None,
    *,
    owned: bool,
) -> None:
    container = Container(place=place, key=key)
    core, clock, registry = container.core(), container.clock(), container.registry()
    server = _Server(container.app())
    container.tool_sockets().sweep()
    told = asyncio.Event()
    _listen_for_the_end(told, owned=owned)
    async with (
        _logging(place.home, registry),
        container.sockets(),
        core.bundles,
        core.instances as instances,
        asyncio.TaskGroup() as group,
    ):
        instances.adopt(await container.recovery()())
        listening = [listener] if loopback is None else [listener, loopback]
        group.create_task(server.serve(sockets=listening))
        await server.up.wait()
        port = None if loopback is None else loopback.getsockname()[1]
        _announce(listener.getsockname(), core.started, port)
        log.info("serving", version=VERSION, port=port)
        warming = group.create_task(asyncio.to_thread(_warm_up))
        watching = group.create_task(vigil(container.presence(), instances, clock.monotonic))
        telling = group.create_task(told.wait())
        await asyncio.wait({watching, telling}, return_when=asyncio.FIRST_COMPLETED)
        await instances.stop_all()
        log.info("ending")
        server.should_exit = True
        for task in (watching, telling, warming):
            task.cancel()


@asynccontextmanager
async def _logging(home: Path, registry: Registry) -> AsyncIterator[None]:
    """Logs of its own beside the server's; standard error has what ends the process, no more."""
    taken = Thresholds(thresholds_of(os.environ).file, console=Level.FATAL)
    async with AsyncExitStack() as stack:
        configure(home / "logs" / "agentctl", SystemClock(), registry, taken, stack)
        yield


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: agents are ended before it."""

    def __init__(self, app: object) -> None:
        super().__init__(
            uvicorn.Config(
                app,  # type: ignore[arg-type]  # uvicorn and Litestar spell ASGI differently
                http="httptools",
                lifespan="off",
                log_config=None,
                access_log=False,
                timeout_graceful_shutdown=_GRACE_SECONDS,
            )
        )
        self.up = asyncio.Event()

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()

    @override
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextmanager
def _owned(listener: socket.socket) -> Iterator[socket.socket]:
    path = Path(listener.getsockname())
    try:
        yield listener
    finally:
        path.unlink(missing_ok=True)
        listener.close()


def _announce(path: str, started: int, port: int | None) -> None:
    line = json.dumps({"socket": path, "pid": os.getpid(), "started": started, "tcp": port})
    with suppress(BrokenPipeError):
        print(line, flush=True)  # noqa: T201 -- the one line that stdout is for


def _warm_up() -> None:
    """Import what speaks the protocol before somebody waits for it."""
    importlib.import_module("adapters.agentctl.server.acp.conversation")


def _listen_for_the_end(told: asyncio.Event, *, owned: bool) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if owned:

        def read() -> None:
            if not os.read(_STDIN, 1024):
                loop.remove_reader(_STDIN)
                told.set()

        try:
            loop.add_reader(_STDIN, read)
        except PermissionError:
            # A regular file cannot be waited for (epoll(7)), and it has no more to give.
            told.set()


def _read_key() -> bytes | None:
    """The key, or None when stdin does not give it in time."""
    key = b""
    with suppress(OSError):
        while len(key) < KEY_BYTES and select.select([_STDIN], [], [], KEY_SECONDS)[0]:
            piece = os.read(_STDIN, KEY_BYTES - len(key))
            if not piece:
                break
            key += piece
    return key if len(key) == KEY_BYTES else None


def _take_descriptors() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < DESCRIPTORS:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, DESCRIPTORS), hard))


if __name__ == "__main__":
    sys.exit(main())
