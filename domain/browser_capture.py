"""What browsers may bring to a bundle: one stream each, in order, within bounds.

A browser is a profile with one history. Of its tabs the first whose chunk is accepted is heard, the
others are ignored. What was accepted stays, also when its browser is never done.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import NamedTuple

from domain.bundle import MIB, frontend_name
from domain.bundle_manifest import Capture, Profile

__all__ = (
    "CHUNK_BYTES",
    "ENTRY_BYTES",
    "ID_BYTES",
    "MAX_BROWSERS",
    "MAX_ENTRIES",
    "METADATA_BYTES",
    "PROFILE_BYTES",
    "Chunk",
    "Envelope",
    "Gathering",
    "Heard",
    "Verdict",
    "admitted",
    "taken",
)

CHUNK_BYTES = MIB
"""The body of an upload."""

ENTRY_BYTES = 64 * 1024
METADATA_BYTES = 8 * 1024
MAX_BROWSERS = 4
MAX_ENTRIES = 10_000
"""Of one browser."""

PROFILE_BYTES = 20 * MIB
"""Of one browser, each entry counted with the newline after it."""

ID_BYTES = 256
_STORAGE = frozenset({"indexeddb", "memory"})


class Verdict(Enum):
    ACCEPTED = auto()
    IGNORED = auto()
    """Another tab of this browser is heard."""
    INVALID = auto()
    TOO_LARGE = auto()
    LIMITED = auto()
    """A bound of the browser or of the job is reached; what came before stays."""
    TOO_MANY = auto()
    """Four browsers are heard already."""


class Envelope(NamedTuple):
    """What an upload says of itself: its number in its stream, from 0 on, and if it is the last."""

    browser: str
    stream: str
    number: int
    done: bool
    storage_mode: str
    metadata: dict[str, object] | None = None
    metadata_length: int = 0


class Chunk(NamedTuple):
    """An upload with its entries, each one line of JSON without its newline."""

    envelope: Envelope
    entries: Sequence[bytes]

    @property
    def length(self) -> int:
        return sum(len(entry) + 1 for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Heard:
    """A browser, by the stream that is heard of it."""

    browser: str
    stream: str
    following: int = 0
    done: bool = False
    limited: bool = False
    entries: int = 0
    length: int = 0
    storage_mode: str | None = None
    metadata: dict[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Gathering:
    """All that was heard for one bundle; `targeted` connections were asked."""

    targeted: int
    budget: int
    heard: tuple[Heard, ...] = ()
    ignored: frozenset[str] = frozenset()
    refused: int = 0

    @property
    def length(self) -> int:
        return sum(each.length for each in self.heard)

    @property
    def over(self) -> bool:
        """Whether nothing more is to be waited for."""
        settled = sum(each.done for each in self.heard) + len(self.ignored) + self.refused
        return settled >= self.targeted and all(each.done for each in self.heard)

    def number(self, browser: str) -> int:
        """Which browser it is, from 0 on, in the order in which they were heard."""
        return [each.browser for each in self.heard].index(browser)

    def capture(self) -> Capture:
        profiles = tuple(
            Profile(
                frontend_name(number),
                each.entries,
                each.done,
                each.limited,
                each.storage_mode,
                each.metadata,
            )
            for number, each in enumerate(self.heard, start=1)
        )
        return Capture(self.targeted, profiles, len(self.ignored), self.refused)


def admitted(gathering: Gathering, envelope: Envelope) -> tuple[Gathering, Verdict]:
    """Whether the entries of an upload are to be looked at; nothing is bound by that yet."""
    if not _is_plausible(envelope):
        return gathering, Verdict.INVALID
    known = _known(gathering, envelope.browser)
    if known is not None and known.stream != envelope.stream:
        ignored = gathering.ignored | {envelope.stream}
        return replace(gathering, ignored=ignored), Verdict.IGNORED
    if known is None and len(gathering.heard) >= MAX_BROWSERS:
        return replace(gathering, refused=gathering.refused + 1), Verdict.TOO_MANY
    return gathering, Verdict.ACCEPTED


def taken(gathering: Gathering, chunk: Chunk) -> tuple[Gathering, Verdict]:
    """Add what an admitted upload brings; its browser is bound to its stream by the first."""
    said = chunk.envelope
    heard = _known(gathering, said.browser) or Heard(said.browser, said.stream)
    if heard.done or said.number != heard.following:
        return gathering, Verdict.INVALID
    if said.metadata is not None and not said.done:
        return gathering, Verdict.INVALID
    if said.metadata_length > METADATA_BYTES:
        return gathering, Verdict.TOO_LARGE
    if any(len(entry) > ENTRY_BYTES for entry in chunk.entries):
        return gathering, Verdict.TOO_LARGE
    if _is_over(gathering, heard, chunk):
        return _with(gathering, replace(heard, limited=True)), Verdict.LIMITED
    after = replace(
        heard,
        following=heard.following + 1,
        done=said.done,
        entries=heard.entries + len(chunk.entries),
        length=heard.length + chunk.length,
        storage_mode=said.storage_mode,
        metadata=said.metadata,
    )
    return _with(gathering, after), Verdict.ACCEPTED


def _is_plausible(envelope: Envelope) -> bool:
    names = (envelope.browser, envelope.stream)
    lengths = [len(name.encode("utf-8", "surrogatepass")) for name in names]
    fits = all(1 <= length <= ID_BYTES for length in lengths)
    return fits and envelope.number >= 0 and envelope.storage_mode in _STORAGE


def _is_over(gathering: Gathering, heard: Heard, chunk: Chunk) -> bool:
    return (
        heard.entries + len(chunk.entries) > MAX_ENTRIES
        or heard.length + chunk.length > PROFILE_BYTES
        or gathering.length + chunk.length > gathering.budget
    )


def _known(gathering: Gathering, browser: str) -> Heard | None:
    return next((each for each in gathering.heard if each.browser == browser), None)


def _with(gathering: Gathering, heard: Heard) -> Gathering:
    """The gathering with what is known of one browser now."""
    if _known(gathering, heard.browser) is None:
        return replace(gathering, heard=(*gathering.heard, heard))
    changed = (heard if each.browser == heard.browser else each for each in gathering.heard)
    return replace(gathering, heard=tuple(changed))
