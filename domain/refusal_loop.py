"""A stop for tools that ask for ever: git-lfs asks again, without end, for a secret just refused.

An `erase` says that a server refused a secret, or only seems to (a challenge that is not Basic, a
stale header), so one alone means nothing. The same secret refused and asked for again three times
within a minute is a loop, and the next answer is `quit=1`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ("MAX_AGAIN", "MAX_TRAILS", "WINDOW_SECONDS", "Trail", "asked", "refused")

WINDOW_SECONDS = 60.0
"""How long a repetition counts."""
MAX_AGAIN = 3
"""Times that a refused secret is asked for again before the loop is ended."""
MAX_TRAILS = 256
"""Secrets watched at once; the one heard of longest ago is forgotten first."""


@dataclass(frozen=True, slots=True)
class Trail:
    """What happened to one secret: when it was last refused, and when it was asked for again."""

    last: float
    refused: bool = False
    again: tuple[float, ...] = ()


def refused(trails: Mapping[bytes, Trail], secret: bytes, now: float) -> dict[bytes, Trail]:
    """The trails after a server refused the secret, named by its hash; `now` is monotonic."""
    recent = _recent(trails, now)
    before = recent.pop(secret, Trail(now))
    recent[secret] = Trail(now, refused=True, again=before.again)
    return dict(list(recent.items())[-MAX_TRAILS:])


def asked(
    trails: Mapping[bytes, Trail], secret: bytes, now: float
) -> tuple[dict[bytes, Trail], bool]:
    """The trails after the secret was about to be answered, and whether to stop instead."""
    recent = _recent(trails, now)
    before = recent.get(secret)
    if before is None:
        return recent, False
    again = (*before.again, now) if before.refused else before.again
    del recent[secret]
    recent[secret] = Trail(now, again=again[-MAX_AGAIN:])
    return recent, len(again) >= MAX_AGAIN


def _recent(trails: Mapping[bytes, Trail], now: float) -> dict[bytes, Trail]:
    """What still counts: nothing that is a window old."""
    start = now - WINDOW_SECONDS
    return {
        secret: Trail(
            trail.last, trail.refused, tuple(moment for moment in trail.again if moment > start)
        )
        for secret, trail in trails.items()
        if trail.last > start
    }
