"""How often one may, and all together may: token buckets that are asked before anything is done.

What is refused costs nothing, and the answer says after how many seconds it would be taken.
"""

import math
from typing import NamedTuple

from domain.identity import UserId

__all__ = ("IDLE_SECONDS", "SWEEP_SECONDS", "Rate", "RateMeter")

IDLE_SECONDS = 600.0
"""An identity that was quiet for longer is forgotten, and has its whole burst again."""

SWEEP_SECONDS = 60.0
"""Between two looks for identities to forget."""


class Rate(NamedTuple):
    """What a bucket holds, and what flows into it."""

    per_minute: float
    burst: float

    def refilled(self, tokens: float, seconds: float) -> float:
        return min(self.burst, tokens + max(0.0, seconds) * self.per_minute / 60)

    def wait(self, tokens: float, cost: float) -> int:
        """Whole seconds until there are enough; 0 when there are, at least 1 when not."""
        if tokens >= cost:
            return 0
        return max(1, math.ceil((cost - tokens) * 60 / self.per_minute))


class _Level(NamedTuple):
    tokens: float
    at: float


class RateMeter:
    """One bucket an identity and one for all; times are seconds of a clock that never goes back."""

    __slots__ = ("_all", "_each", "_levels", "_swept", "_total")

    def __init__(self, each: Rate, all_together: Rate) -> None:
        self._each = each
        self._all = all_together
        self._levels: dict[UserId, _Level] = {}
        self._total: _Level | None = None
        self._swept = 0.0

    @property
    def identities(self) -> int:
        """How many are remembered."""
        return len(self._levels)

    def take(self, owner: UserId, cost: float, now: float) -> int:
        """Take `cost` from both buckets, 0; or from neither, the seconds to wait."""
        self._forget(now)
        own = _tokens(self._each, self._levels.get(owner), now)
        total = _tokens(self._all, self._total, now)
        wait = max(self._each.wait(own, cost), self._all.wait(total, cost))
        taken = 0.0 if wait else cost
        self._levels[owner] = _Level(own - taken, now)
        self._total = _Level(total - taken, now)
        return wait

    def _forget(self, now: float) -> None:
        if now - self._swept < SWEEP_SECONDS:
            return
        self._swept = now
        self._levels = {
            owner: level for owner, level in self._levels.items() if now - level.at <= IDLE_SECONDS
        }


def _tokens(rate: Rate, level: _Level | None, now: float) -> float:
    return rate.burst if level is None else rate.refilled(level.tokens, now - level.at)
