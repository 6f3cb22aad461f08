"""What a bundle is asked for: sources, and for agents' messages the sessions, in one order.

Two requests are the same when they are equal as values; nothing is joined into a key.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from domain.bundle import Source, budgets
from domain.outcome import Failure, Result, Success

__all__ = (
    "MAX_ID_BYTES",
    "MAX_SESSIONS",
    "BundleRequest",
    "InvalidRequest",
    "RequestFault",
    "parse",
)

MAX_SESSIONS = 10
MAX_ID_BYTES = 256


class RequestFault(StrEnum):
    NO_SOURCE = "no_source"
    UNKNOWN_SOURCE = "unknown_source"
    REPEATED = "repeated"
    SESSIONS_WITHOUT_ACP = "sessions_without_acp"
    ACP_WITHOUT_SESSIONS = "acp_without_sessions"
    TOO_MANY_SESSIONS = "too_many_sessions"
    BAD_SESSION = "bad_session"


@dataclass(frozen=True, slots=True)
class InvalidRequest:
    fault: RequestFault


@dataclass(frozen=True, slots=True)
class BundleRequest:
    """Both sorted, without repetition."""

    sources: tuple[Source, ...]
    sessions: tuple[str, ...] = ()

    @property
    def scratch_bytes(self) -> int:
        """What collecting may write to disk; logs of the backend are read where they lie."""
        shares = budgets(self.sources)
        return sum(share for source, share in shares.items() if source is not Source.BACKEND)


def parse(
    sources: Sequence[str], sessions: Sequence[str] = ()
) -> Result[BundleRequest, InvalidRequest]:
    """A request as it was sent: 1 to 4 distinct sources, and 1 to 10 sessions just with `acp`."""
    fault = _source_fault(sources) or _session_fault(sources, sessions)
    if fault is not None:
        return Failure(InvalidRequest(fault))
    return Success(BundleRequest(tuple(sorted(map(Source, sources))), tuple(sorted(sessions))))


def _source_fault(sources: Sequence[str]) -> RequestFault | None:
    if not sources:
        return RequestFault.NO_SOURCE
    if len(set(sources)) < len(sources):
        return RequestFault.REPEATED
    if any(source not in frozenset(Source) for source in sources):
        return RequestFault.UNKNOWN_SOURCE
    return None


def _session_fault(sources: Sequence[str], sessions: Sequence[str]) -> RequestFault | None:
    if Source.ACP not in sources:
        return RequestFault.SESSIONS_WITHOUT_ACP if sessions else None
    if not sessions:
        return RequestFault.ACP_WITHOUT_SESSIONS
    if len(sessions) > MAX_SESSIONS:
        return RequestFault.TOO_MANY_SESSIONS
    if len(set(sessions)) < len(sessions):
        return RequestFault.REPEATED
    if not all(0 < _size(session) <= MAX_ID_BYTES for session in sessions):
        return RequestFault.BAD_SESSION
    return None


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
