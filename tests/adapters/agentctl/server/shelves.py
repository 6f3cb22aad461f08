"""A shelf over a workspace that no agent works in, and the words to put a bundle there."""

import secrets
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from adapters.agentctl import wire
from adapters.agentctl.server.bundle_shelf import Announced, BundleShelf, Shelving
from adapters.system.clock import SystemClock
from domain.bundle_delivery import DeliveryBounds
from domain.bundle_path import BundleId
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId
from domain.outcome import Result, failed
from ports.runtime import RuntimeProblem

__all__ = ("BUNDLE", "DATA", "Worker", "deliver", "left", "pieces_of", "shelf_in", "stage")

BUNDLE = BundleId("0123456789abcdef")
DATA = bytes(range(256)) * 1000


@dataclass
class Worker:
    """An instance, as far as a shelf looks."""

    workspace: Path | None
    alive: bool = True
    handle: Handle = field(
        default_factory=lambda: Handle(ExecutionId("e1"), TaskId("t1"), SessionId("s1"))
    )


def shelf_in(
    home: Path,
    bounds: DeliveryBounds | None = None,
    *,
    now: Callable[[], datetime] | None = None,
    unnamed: bool = True,
) -> BundleShelf:
    """Every other agentctl is a dead one to it."""
    return BundleShelf(
        Shelving(
            home / "bundles",
            (1, 1),
            lambda *_: False,
            now or SystemClock().now,
            secrets.token_bytes,
            bounds or DeliveryBounds(),
            unnamed,
        )
    )


async def pieces_of(data: bytes, size: int = 100_000) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def stage(
    shelf: BundleShelf,
    worker: Worker,
    data: bytes = DATA,
    pieces: AsyncIterator[bytes] | None = None,
) -> Result[wire.Staged, RuntimeProblem]:
    announced = Announced(BUNDLE, len(data), zlib.crc32(data))
    return await shelf.stage(worker, announced, pieces or pieces_of(data))


async def deliver(
    shelf: BundleShelf, worker: Worker, data: bytes = DATA
) -> Result[wire.Delivered, RuntimeProblem]:
    staged = await stage(shelf, worker, data)
    if failed(staged):
        return staged
    return await shelf.commit(worker, BUNDLE, staged.unwrap().stage)


def left(folder: Path) -> set[str]:
    """All that is below a folder, links not followed."""
    return {str(each.relative_to(folder)) for each in folder.rglob("*")}
