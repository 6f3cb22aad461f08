"""Signals to processes that need not be children of ours, and waiting for their end.

A pidfd pins the process: once it is open and the start time is the expected one, a signal through
it reaches that process or nobody.
"""

import asyncio
import os
import signal
from collections.abc import Collection, Iterable
from contextlib import suppress

from adapters.process.table import Identity, read

__all__ = ("gone", "send")


def send(identities: Iterable[Identity], number: signal.Signals) -> None:
    """Signal each one that still lives; those that ended meanwhile are passed over."""
    for identity in identities:
        descriptor = _pin(identity)
        if descriptor is not None:
            try:
                with suppress(ProcessLookupError, PermissionError):
                    signal.pidfd_send_signal(descriptor, number)
            finally:
                os.close(descriptor)


async def gone(identities: Collection[Identity], seconds: float) -> None:
    """Until every one has ended, at most `seconds`."""
    loop = asyncio.get_running_loop()
    finished: asyncio.Future[None] = loop.create_future()
    living: set[int] = set()

    def ended(descriptor: int) -> None:
        loop.remove_reader(descriptor)
        os.close(descriptor)
        living.discard(descriptor)
        if not living and not finished.done():
            finished.set_result(None)

    try:
        for identity in identities:
            descriptor = _pin(identity)
            if descriptor is not None:
                living.add(descriptor)
                loop.add_reader(descriptor, ended, descriptor)
        if living:
            # Not `asyncio.timeout`: in a task that is being cancelled it ends in that cancellation
            # before Python 3.11.4, and this must go on.
            await asyncio.wait({finished}, timeout=seconds)
    finally:
        for descriptor in living:
            loop.remove_reader(descriptor)
            os.close(descriptor)


def _pin(identity: Identity) -> int | None:
    try:
        descriptor = os.pidfd_open(identity.pid)
    except ProcessLookupError:
        return None
    process = read(identity.pid)
    if process is not None and process.identity == identity:
        return descriptor
    os.close(descriptor)
    return None
