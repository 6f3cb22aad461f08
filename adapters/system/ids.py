"""Names that sort by the time they were given, and the machine's randomness.

After its prefix a name has 48 bits of milliseconds since the epoch and 80 random bits, in the base
32 of Crockford, lower case: it is safe in a path, a URL, a branch and a shell.
"""

import secrets
from threading import Lock
from typing import Final

from ports.clock import Clock

__all__ = ("SystemIds",)

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_BITS: Final = 48
_RANDOM_BITS: Final = 80
_LENGTH: Final = 26


class SystemIds:
    """Each name sorts after the one before: where the clock stands or goes back, we go on."""

    __slots__ = ("_clock", "_last", "_lock")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0
        self._lock = Lock()

    def new(self, prefix: str) -> str:
        now = int(self._clock.now().timestamp() * 1_000)
        with self._lock:
            self._last = moment = max(now, self._last + 1)
        stamped = moment % 2**_TIME_BITS << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
        return f"{prefix}_{_spell(stamped)}"

    def random(self, length: int) -> bytes:
        return secrets.token_bytes(length)


def _spell(number: int) -> str:
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))
