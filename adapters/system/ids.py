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
    """Names given by one of these never go back, even when the clock does."""

    __slots__ = ("_clock", "_last", "_lock")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0
        self._lock = Lock()

    def new(self, prefix: str) -> str:
        now = int(self._clock.now().timestamp() * 1_000) % 2**_TIME_BITS
        with self._lock:
            stamped = (now << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS)
            if stamped <= self._last:
                stamped = self._last + 1 + secrets.randbits(_RANDOM_BITS - 16)
            self._last = stamped
        return f"{prefix}_{_spell(stamped)}"

    def random(self, length: int) -> bytes:
        return secrets.token_bytes(length)


def _spell(number: int) -> str:
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))
