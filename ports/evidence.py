"""Where evidence for a bundle comes from: collected once, then held as it was until let go."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from domain.bundle_manifest import Capture, Caveat, Evidence, Loss
from domain.bundle_request import BundleRequest
from domain.identity import UserId

__all__ = ("Collected", "EvidenceChanged", "EvidenceSource", "Pinned", "Scratch", "ScratchFile")


class EvidenceChanged(Exception):  # noqa: N818 -- it says what happened
    """What was pinned can no longer be read as it was."""


class Pinned(Protocol):
    """The payload of one entry."""

    async def read(self, offset: int, length: int) -> bytes:
        """All `length` bytes from `offset` of the payload on. Raises `EvidenceChanged`."""
        ...

    def close(self) -> None:
        """Let it go; nothing is read afterwards."""
        ...


@dataclass(frozen=True, slots=True)
class Collected:
    """What one source gives. `pinned` has the payload of each entry of `evidence`, in its order."""

    evidence: Sequence[Evidence] = ()
    pinned: Sequence[Pinned] = ()
    omitted_bytes: int = 0
    caveats: Sequence[Caveat] = ()
    losses: Sequence[Loss] = ()
    redactions: Mapping[str, int] = field(default_factory=dict)
    capture: Capture | None = None


class EvidenceSource(Protocol):
    async def collect(self, owner: UserId, request: BundleRequest, budget: int) -> Collected:
        """What the owner of the bundle may have of it, at most `budget` bytes.

        What cannot be had is a caveat. Cancelled, it holds nothing.
        """
        ...


class ScratchFile(Protocol):
    """A file without a name: it is gone when it is closed or the process ends."""

    async def write(self, data: bytes) -> None:
        """Append. Raises OSError."""
        ...

    def pinned(self) -> Pinned:
        """What was written, as a payload that owns the file."""
        ...

    def close(self) -> None: ...


class Scratch(Protocol):
    async def new(self) -> ScratchFile:
        """Raises OSError."""
        ...
