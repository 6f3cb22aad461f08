"""`small_disk.py BYTES COMMAND ...`: run a command that finds no room for as much as this at once.

The kernel answers each write(2) and pwrite64(2) of that many bytes or more with ENOSPC, in the
command and in all that it starts (seccomp(2)). Unlike a small file system, that needs no privilege.
"""

import ctypes
import errno
import os
import struct
import sys
from typing import Final

WRITES: Final = {"x86_64": (1, 18), "aarch64": (64, 68)}
"""The numbers of write and pwrite64."""

NUMBER_AT: Final = 0
COUNT_AT: Final = 32
"""Where the call's number and its third argument are in `struct seccomp_data`."""

LOAD: Final = 0x20
JUMP_EQUAL: Final = 0x15
JUMP_AT_LEAST: Final = 0x35
RETURN: Final = 0x06
ALLOW: Final = 0x7FFF0000
NO_SPACE: Final = 0x00050000 | errno.ENOSPC

PR_SET_SECCOMP: Final = 22
PR_SET_NO_NEW_PRIVS: Final = 38
MODE_FILTER: Final = 2


def refuse_writes(size: int) -> None:
    """From now on, here and in what is started. Raises OSError where the kernel has no filters."""
    write, pwrite = WRITES[os.uname().machine]
    program = b"".join(
        struct.pack("HBBI", *instruction)
        for instruction in (
            (LOAD, 0, 0, NUMBER_AT),
            (JUMP_EQUAL, 1, 0, write),
            (JUMP_EQUAL, 0, 2, pwrite),
            (LOAD, 0, 0, COUNT_AT),
            (JUMP_AT_LEAST, 1, 0, size),
            (RETURN, 0, 0, ALLOW),
            (RETURN, 0, 0, NO_SPACE),
        )
    )
    text = ctypes.create_string_buffer(program, len(program))
    filters = struct.pack("HP", len(program) // 8, ctypes.addressof(text))
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0), (PR_SET_SECCOMP, MODE_FILTER, filters)):
        number, second, third = arguments
        if libc.prctl(number, ctypes.c_ulong(second), third, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    refuse_writes(int(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])
