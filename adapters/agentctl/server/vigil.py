"""Waiting for the moment when agentctl, alone, has nothing left to stay for."""

import asyncio
from collections.abc import Callable
from typing import Final

from adapters.agentctl.server.instances import Instances
from adapters.agentctl.server.presence import Presence
from domain.solitude import IDLE_SECONDS, LATEST_SECONDS, Solitude, alone

__all__ = ("vigil",)

CHECK_SECONDS: Final = 15.0


async def vigil(
    presence: Presence,
    instances: Instances,
    monotonic: Callable[[], float],
    *,
    check: float = CHECK_SECONDS,
    idle: float = IDLE_SECONDS,
    latest: float = LATEST_SECONDS,
) -> None:
    """Return when it is time to end. All times are in seconds of `monotonic`."""
    busy = monotonic()
    while True:
        if any(instance.turn_generation is not None for instance in instances.all()):
            busy = monotonic()
        verdict = alone(
            alone_for=presence.alone_for,
            idle_for=monotonic() - busy,
            idle=idle,
            latest=latest,
        )
        if verdict is Solitude.END:
            return
        await asyncio.sleep(check)
