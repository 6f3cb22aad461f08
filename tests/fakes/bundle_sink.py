"""Workspaces in memory: bundles are staged and committed for the executions that are `alive`."""

import zlib
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from typing_extensions import override

from domain.bundle_delivery import DeliveryBounds, arrived
from domain.bundle_path import BundleId, segments
from domain.execution import Handle
from domain.outcome import Failure, Result, Success, failed
from ports.bundle_sink import BundleSink, Consignment, Delivered, StageToken
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("FakeBundleSink",)


class FakeBundleSink(BundleSink):
    """`meanwhile` runs when a bundle is staged; `calls` are the names of what was asked."""

    def __init__(self, bounds: DeliveryBounds | None = None) -> None:
        self.bounds = bounds or DeliveryBounds()
        self.alive: set[Handle] = set()
        self.placed: dict[tuple[Handle, BundleId], bytes] = {}
        self.stages: dict[str, tuple[Handle, BundleId, bytes]] = {}
        self.calls: list[str] = []
        self.meanwhile: Callable[[], Awaitable[None]] | None = None
        self._given = 0

    @override
    async def stage(
        self, handle: Handle, consignment: Consignment
    ) -> Result[StageToken, RuntimeProblem]:
        self.calls.append("stage")
        if handle not in self.alive:
            return _problem(RuntimeCode.NO_INSTANCE)
        if consignment.length > self.bounds.archive:
            return _problem(RuntimeCode.BUNDLE_TOO_LARGE)
        async with aclosing(consignment.chunks()) as chunks:
            data = b"".join([chunk async for chunk in chunks])
        whole = arrived(
            announced=(consignment.length, consignment.crc32), found=(len(data), zlib.crc32(data))
        )
        if failed(whole):
            return _problem(RuntimeCode.BUNDLE_TORN)
        self._given += 1
        token = StageToken(f"stage-{self._given}")
        self.stages[token.text] = (handle, consignment.bundle, data)
        if self.meanwhile is not None:
            await self.meanwhile()
        return Success(token)

    @override
    async def commit(
        self, handle: Handle, bundle: BundleId, stage: StageToken
    ) -> Result[Delivered, RuntimeProblem]:
        self.calls.append("commit")
        if handle not in self.alive:
            return _problem(RuntimeCode.NO_INSTANCE)
        if self.stages.get(stage.text, ())[:2] != (handle, bundle):
            return _problem(RuntimeCode.NO_STAGE)
        _, _, data = self.stages.pop(stage.text)
        if self.placed.setdefault((handle, bundle), data) != data:
            return _problem(RuntimeCode.DESTINATION_UNSAFE)
        path = "/".join(segments(bundle))
        return Success(Delivered(path, f"/workspaces/{handle.execution}/{path}"))

    @override
    async def discard(self, handle: Handle, bundle: BundleId, stage: StageToken) -> None:
        self.calls.append("discard")
        if self.stages.get(stage.text, ())[:2] == (handle, bundle):
            del self.stages[stage.text]


def _problem(code: RuntimeCode) -> Failure[RuntimeProblem]:
    return Failure(RuntimeProblem(code, ""))
