"""Browsers that are connected: asked for what they logged, and heard for as long as a job waits."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import NamedTuple, Protocol

from domain.browser_capture import Envelope, Verdict
from domain.bundle_job import Job
from domain.bundle_path import BundleId
from domain.identity import UserId
from ports.evidence import Collected

__all__ = ("BrowserConnection", "BrowserEvidence", "Browsers", "CaptureRequest")


class CaptureRequest(NamedTuple):
    """What a browser is asked: its log, for this bundle, until then."""

    bundle: BundleId
    deadline: datetime


class BrowserConnection(Protocol):
    async def next(self, seconds: float) -> CaptureRequest | None:
        """The next request; None when there was none for so long."""
        ...


class BrowserEvidence(Protocol):
    async def gather(self, job: Job, budget: int) -> Collected:
        """Ask the owner's browsers and wait until all have answered, or the deadline."""
        ...


class Browsers(BrowserEvidence, Protocol):
    def connected(self, owner: UserId) -> AbstractContextManager[BrowserConnection]:
        """A browser of this identity is there for as long as this lasts."""
        ...

    async def bring(
        self,
        owner: UserId,
        bundle: BundleId,
        envelope: Envelope,
        entries: Callable[[], Sequence[bytes] | None],
    ) -> Verdict | None:
        """Take an upload; None when no such job of the owner waits for one.

        `entries` is called when they are wanted, and gives None where they are no array.
        """
        ...
