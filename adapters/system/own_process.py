"""What this process uses, as the kernel has it (proc(5))."""

import os
import time
from pathlib import Path
from typing import Final

from ports.own_process import Used

__all__ = ("ProcProcess",)

_STATM: Final = Path("/proc/self/statm")
_DESCRIPTORS: Final = Path("/proc/self/fd")
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


class ProcProcess:
    __slots__ = ()

    def used(self) -> Used:
        resident = int(_STATM.read_text(encoding="ascii").split()[1]) * _PAGE_BYTES
        # The listing holds a descriptor itself while it counts.
        return Used(time.process_time(), resident, len(tuple(_DESCRIPTORS.iterdir())) - 1)
