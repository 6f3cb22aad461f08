"""`kandev serve`: the server of a home, until it is told to stop.

Ctrl+C ends its sessions and its agentctl; SIGTERM leaves both running, to be found again.
"""

import argparse
import asyncio
import dataclasses
import os
import signal
import sys
from collections.abc import Sequence

from composition.commands.failures import reported
from composition.memory import hide_memory
from composition.settings import Settings, read_settings
from domain.log_retention import ACTIVE_NAME
from domain.secret import Secret

__all__ = ("main",)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="kandev serve", description="Start the server.")
    parser.add_argument("--port", type=int, help="default: KANDEV_PORT, else 38429")
    chosen = parser.parse_args(arguments)

    def command() -> int:
        hide_memory()
        settings = read_settings(os.environ)
        if chosen.port is not None:
            settings = dataclasses.replace(settings, port=chosen.port)
        # Imported here: a wrong command line should not wait for the server's libraries.
        import uvloop  # noqa: PLC0415

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(serve(settings))

    return reported(command)


async def serve(settings: Settings) -> int:
    from composition.server import started  # noqa: PLC0415 -- as above

    told: asyncio.Queue[signal.Signals] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(each, told.put_nowait, each)
    sys.stderr.write(f"The log is {settings.home.resolve() / 'logs' / ACTIVE_NAME}\n")
    async with started(settings, port=settings.port, owned=False) as server:
        if server.claim is not None:
            sys.stderr.write(claim(server.claim))
        sys.stderr.write(f"Kandev is at {server.url} with the home {settings.home}\n")
        sys.stderr.write("Ctrl+C stops it and its sessions; SIGTERM leaves the sessions running.\n")
        server.end_sessions = await told.get() is signal.SIGINT
    return 0


def claim(code: Secret) -> str:
    """How the first account is made; shown here and in no log."""
    way = f"kandev user claim {code.reveal()} --email ADDRESS --name NAME"
    return f"Nobody has an account here yet. To make the first one: {way}\n"
