"""Bundles: asked for, watched, and read by the identity that asked."""

from collections.abc import AsyncGenerator
from typing import Protocol

from domain.bundle_job import Admitted, Busy, Gone, Job, JobProblem, UnknownJob
from domain.bundle_path import BundleId
from domain.bundle_request import BundleRequest
from domain.identity import UserId
from domain.outcome import Result
from domain.zip_layout import ArchivePlan

__all__ = ("Bundle", "Bundles")


class Bundle(Protocol):
    """A finished bundle; its evidence is held while a reader is inside `chunks`."""

    @property
    def manifest(self) -> bytes: ...
    @property
    def archive(self) -> ArchivePlan: ...
    def chunks(self, start: int, stop: int) -> AsyncGenerator[bytes, None]:
        """The bytes of the archive from `start` up to `stop`. Raises `EvidenceChanged`."""
        ...


class Bundles(Protocol):
    def request(self, owner: UserId, request: BundleRequest) -> Result[Admitted, Busy]:
        """Start a job, or give the one that answers the same."""
        ...

    async def ended(self, owner: UserId, bundle: BundleId) -> None:
        """Return once the job is not active any more, or there is none."""
        ...

    def give_up(self, owner: UserId, bundle: BundleId) -> None:
        """One who requested it does not wait for it any more.

        An active job is cancelled when all have said so; one that was requested over REST and not
        given up goes on to its end.
        """
        ...

    def job(self, owner: UserId, bundle: BundleId) -> Result[Job, UnknownJob | Gone]: ...

    def bundle(self, owner: UserId, bundle: BundleId) -> Result[Bundle, JobProblem]: ...
