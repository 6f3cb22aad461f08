"""Keep a process's memory to itself: it holds secrets that no file has."""

import ctypes
from typing import Final

__all__ = ("hide_memory",)

_PR_SET_DUMPABLE: Final = 4


def hide_memory() -> None:
    """Let no other process of the user read this one's memory (prctl(2), PR_SET_DUMPABLE).

    Programs that it starts are not concerned.
    """
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
