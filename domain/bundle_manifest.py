"""The manifest of a bundle: what was asked, what is there, and everything that is not.

It has no place for an identity, a path of the machine or the title of a task. Whatever is left out
is a caveat, and a bundle with a caveat is partial. It goes first into the archive, so it is final
before the archive is laid out.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from domain.bundle import MANIFEST_BYTES, Source

__all__ = (
    "SCHEMA_VERSION",
    "Capture",
    "Caveat",
    "Code",
    "Evidence",
    "Loss",
    "Manifest",
    "Product",
    "Profile",
)

SCHEMA_VERSION = 1


class Code(StrEnum):
    """Why a bundle is partial, stable for programs."""

    BACKEND_MISSING = "backend_missing"
    BACKEND_TRUNCATED = "backend_truncated"
    BACKEND_CUT_MID_LINE = "backend_cut_mid_line"
    BACKEND_FILE_NOT_REGULAR = "backend_file_not_regular"
    BACKEND_QUEUE_LOSS = "backend_queue_loss"
    FRONTEND_MISSING = "frontend_missing"
    FRONTEND_TRUNCATED = "frontend_truncated"
    FRONTEND_NO_CONNECTION = "frontend_no_connection"
    FRONTEND_INCOMPLETE = "frontend_incomplete"
    FRONTEND_PROFILE_LIMIT = "frontend_profile_limit"
    RUNTIME_MISSING = "runtime_missing"
    RUNTIME_TRUNCATED = "runtime_truncated"
    ACP_MISSING = "acp_missing"
    ACP_TRUNCATED = "acp_truncated"
    ACP_SESSION_UNAVAILABLE = "acp_session_unavailable"


_MISSING = {
    Source.BACKEND: Code.BACKEND_MISSING,
    Source.FRONTEND: Code.FRONTEND_MISSING,
    Source.RUNTIME: Code.RUNTIME_MISSING,
    Source.ACP: Code.ACP_MISSING,
}
_TRUNCATED = {
    Source.BACKEND: Code.BACKEND_TRUNCATED,
    Source.FRONTEND: Code.FRONTEND_TRUNCATED,
    Source.RUNTIME: Code.RUNTIME_TRUNCATED,
    Source.ACP: Code.ACP_TRUNCATED,
}


class Caveat(NamedTuple):
    """One thing that the bundle lacks; `detail` is the name of an entry, a number, or nothing."""

    code: Code
    source: Source
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Loss:
    """Log entries that a sink did not take, since the process started."""

    sink: str
    level: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class Product:
    version: str
    commit: str
    system: str
    architecture: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """One entry of the archive: `length` of the `size` bytes that there were, from `offset` on.

    Times are those of its first and last record, None when it has none that says.
    """

    source: Source
    name: str
    size: int
    offset: int
    length: int
    crc32: int
    modified: datetime
    records: int | None = None
    first_time: datetime | None = None
    last_time: datetime | None = None

    def to_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "source": self.source.value,
            "size": self.size,
            "offset": self.offset,
            "length": self.length,
            "crc32": f"{self.crc32:08x}",
            "records": self.records,
            "first_time": _iso(self.first_time),
            "last_time": _iso(self.last_time),
        }


@dataclass(frozen=True, slots=True)
class Profile:
    """One browser that answered: `complete` when it said that it was done, `limited` at a bound."""

    name: str
    records: int
    complete: bool
    limited: bool
    storage_mode: str | None = None
    metadata: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Capture:
    """What the browsers were asked and answered; `refused` came after the bound on their number."""

    targeted: int
    profiles: tuple[Profile, ...] = ()
    ignored: int = 0
    refused: int = 0

    def to_json(self) -> dict[str, object]:
        return {
            "targeted": self.targeted,
            "responded": len(self.profiles),
            "timed_out": sum(not profile.complete for profile in self.profiles),
            "ignored": self.ignored,
            "refused": self.refused,
            "profiles": [
                {
                    "name": profile.name,
                    "records": profile.records,
                    "complete": profile.complete,
                    "limited": profile.limited,
                    "storage_mode": profile.storage_mode,
                    "metadata": None if profile.metadata is None else dict(profile.metadata),
                }
                for profile in self.profiles
            ],
        }


@dataclass(frozen=True, slots=True)
class Manifest:
    """All facts of a bundle; `noticed` are the caveats that do not follow from the others."""

    created_at: datetime
    expires_at: datetime
    product: Product
    requested: Sequence[Source]
    evidence: Sequence[Evidence]
    omitted_bytes: Mapping[Source, int] = field(default_factory=dict)
    losses: Sequence[Loss] = ()
    redactions: Mapping[str, int] = field(default_factory=dict)
    capture: Capture | None = None
    noticed: Sequence[Caveat] = ()

    @property
    def included(self) -> tuple[Source, ...]:
        """The requested sources of which there is at least an entry, in the order of `Source`."""
        there = {entry.source for entry in self.evidence}
        return tuple(source for source in Source if source in there)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        return (*_omissions(self), *_browsers(self.capture), *self.noticed)

    @property
    def partial(self) -> bool:
        return bool(self.caveats)

    def to_json(self) -> dict[str, object]:
        """The whole, of JSON's own types."""
        return self._json(
            entries=[entry.to_json() for entry in self.evidence],
            warnings=[caveat._asdict() for caveat in self.caveats],
            capture=None if self.capture is None else self.capture.to_json(),
        )

    def counts(self) -> dict[str, object]:
        """The same, with how many instead of which; bounded whatever the bundle holds."""
        capture = None if self.capture is None else self.capture.to_json() | {"profiles": []}
        return self._json(
            entries=dict(Counter(entry.source.value for entry in self.evidence)),
            warnings=dict(Counter(caveat.code.value for caveat in self.caveats)),
            capture=capture,
        )

    def encode(self) -> bytes:
        """The entry of the archive: the whole, or the counts when it passes `MANIFEST_BYTES`."""
        whole = _encoded(self.to_json())
        return whole if len(whole) <= MANIFEST_BYTES else _encoded(self.counts())

    def _json(self, *, entries: object, warnings: object, capture: object) -> dict[str, object]:
        firsts = [entry.first_time for entry in self.evidence if entry.first_time is not None]
        lasts = [entry.last_time for entry in self.evidence if entry.last_time is not None]
        return {
            "schema_version": SCHEMA_VERSION,
            "status": "partial" if self.partial else "ready",
            "created_at": self.created_at.isoformat(),
            "expires_at": self.expires_at.isoformat(),
            "generated_by": {
                "version": self.product.version,
                "commit": self.product.commit,
                "system": self.product.system,
                "architecture": self.product.architecture,
            },
            "requested_sources": [source.value for source in self.requested],
            "included_sources": [source.value for source in self.included],
            "entries": entries,
            "omitted_bytes": sum(self.omitted_bytes.values()),
            "first_time": _iso(min(firsts, default=None)),
            "last_time": _iso(max(lasts, default=None)),
            "losses": _nested(self.losses),
            "redactions": dict(self.redactions),
            "capture": capture,
            "warnings": warnings,
        }


def _omissions(manifest: Manifest) -> Iterator[Caveat]:
    for source in manifest.requested:
        if source not in manifest.included:
            yield Caveat(_MISSING[source], source)
        omitted = manifest.omitted_bytes.get(source, 0)
        if omitted:
            yield Caveat(_TRUNCATED[source], source, str(omitted))
    lost = sum(loss.count for loss in manifest.losses)
    if lost and Source.BACKEND in manifest.requested:
        yield Caveat(Code.BACKEND_QUEUE_LOSS, Source.BACKEND, str(lost))


def _browsers(capture: Capture | None) -> Iterator[Caveat]:
    if capture is None:
        return
    if not capture.targeted:
        yield Caveat(Code.FRONTEND_NO_CONNECTION, Source.FRONTEND)
    for profile in capture.profiles:
        if not profile.complete:
            yield Caveat(Code.FRONTEND_INCOMPLETE, Source.FRONTEND, profile.name)
        if profile.limited:
            yield Caveat(Code.FRONTEND_TRUNCATED, Source.FRONTEND, profile.name)
    if capture.refused:
        yield Caveat(Code.FRONTEND_PROFILE_LIMIT, Source.FRONTEND, str(capture.refused))


def _nested(losses: Sequence[Loss]) -> dict[str, dict[str, dict[str, int]]]:
    """Sink, level, reason: only what was lost."""
    nested: dict[str, dict[str, dict[str, int]]] = {}
    for loss in losses:
        if loss.count:
            nested.setdefault(loss.sink, {}).setdefault(loss.level, {})[loss.reason] = loss.count
    return nested


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _encoded(value: object) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"
