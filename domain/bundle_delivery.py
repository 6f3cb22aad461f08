"""The bounds of bringing a bundle into a workspace, and what arrived whole and what did not."""

from dataclasses import dataclass
from enum import StrEnum

from domain.bundle import ARCHIVE_BYTES, Source
from domain.bundle_request import BundleRequest, InvalidRequest, RequestFault
from domain.outcome import Failure, Result, Success

__all__ = ("CALL_SECONDS", "DeliveryBounds", "Flaw", "Torn", "arrived", "sources_for")

CALL_SECONDS = 300.0
"""From the request of an agent until its bundle lies in the workspace."""


@dataclass(frozen=True, slots=True)
class DeliveryBounds:
    """`idle`: without a byte; `uncommitted`: a stage that nobody commits; both in seconds.

    `fence` is how long a start of a session waits for a commit, and a commit for a start.
    """

    archive: int = ARCHIVE_BYTES
    idle: float = 30.0
    uncommitted: float = 60.0
    fence: float = 5.0


class Flaw(StrEnum):
    LENGTH = "length"
    CHECKSUM = "checksum"


@dataclass(frozen=True, slots=True)
class Torn:
    """What arrived is not what was announced."""

    flaw: Flaw


def arrived(*, announced: tuple[int, int], found: tuple[int, int]) -> Result[None, Torn]:
    """Whether length and CRC-32 are as announced."""
    if announced[0] != found[0]:
        return Failure(Torn(Flaw.LENGTH))
    return Success(None) if announced[1] == found[1] else Failure(Torn(Flaw.CHECKSUM))


_SOURCES = {
    "backend": (Source.BACKEND,),
    "frontend": (Source.FRONTEND,),
    "all": (Source.BACKEND, Source.FRONTEND),
}


def sources_for(asked: str) -> Result[BundleRequest, InvalidRequest]:
    """What an agent may ask for: nothing of other sessions, and nothing of other agents."""
    sources = _SOURCES.get(asked)
    if sources is None:
        return Failure(InvalidRequest(RequestFault.UNKNOWN_SOURCE))
    return Success(BundleRequest(sources))
