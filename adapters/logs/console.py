"""Standard error as what a sink writes to; it may stand still, and then only its sink does."""

import os
from collections.abc import Sequence
from itertools import accumulate

__all__ = ("Console",)


class Console:
    """A writer of a sink on a descriptor that belongs to somebody else."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, lines: Sequence[bytes]) -> int:
        """One write; a line that went in half is ended by the next, and counts as lost."""
        try:
            written = os.write(self._descriptor, b"".join(lines))
        except OSError:
            return 0
        return sum(end <= written for end in accumulate(map(len, lines)))

    def rest(self) -> None:
        pass

    def close(self) -> None:
        pass
