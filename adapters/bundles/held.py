"""A finished bundle and the evidence that it holds, until it expired and its last reader left."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from typing import Final

from typing_extensions import override

from domain.bundle_plan import BundlePlan
from domain.zip_layout import ArchivePlan, EntrySlice
from ports.bundles import Bundle
from ports.evidence import EvidenceChanged, Pinned

__all__ = ("CHUNK_BYTES", "HeldBundle")

CHUNK_BYTES: Final = 1024 * 1024
"""What is read of the evidence at once, so what a reader costs in memory."""


class HeldBundle(Bundle):
    """`changed` is told when the evidence is not what it was."""

    def __init__(
        self, plan: BundlePlan, pinned: Sequence[Pinned], changed: Callable[[], None]
    ) -> None:
        self._plan = plan
        self._pinned = pinned
        self._changed = changed
        self._readers = 0
        self._expired = False

    @property
    @override
    def manifest(self) -> bytes:
        return self._plan.manifest

    @property
    @override
    def archive(self) -> ArchivePlan:
        return self._plan.archive

    @override
    async def chunks(self, start: int, stop: int) -> AsyncGenerator[bytes, None]:
        if self._expired:
            raise EvidenceChanged
        self._readers += 1
        try:
            for part in self._plan.archive.slices(start, stop):
                if isinstance(part, bytes):
                    yield part
                else:
                    async for chunk in self._payload(part):
                        yield chunk
        except EvidenceChanged:
            self._changed()
            raise
        finally:
            self._readers -= 1
            self._close_when_unused()

    def expire(self) -> None:
        """Nobody new may read; the evidence is let go with the last who does."""
        if not self._expired:
            self._expired = True
            self._close_when_unused()

    async def _payload(self, part: EntrySlice) -> AsyncIterator[bytes]:
        end = part.offset + part.length
        for offset in range(part.offset, end, CHUNK_BYTES):
            length = min(CHUNK_BYTES, end - offset)
            if part.index == 0:
                yield self._plan.manifest[offset : offset + length]
            else:
                yield await self._pinned[part.index - 1].read(offset, length)

    def _close_when_unused(self) -> None:
        if self._expired and not self._readers:
            pinned, self._pinned = self._pinned, ()
            for each in pinned:
                each.close()
