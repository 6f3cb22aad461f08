"""Files without a name below the home, for evidence that has to be written to be collected."""

import asyncio
import os
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from typing_extensions import override

from ports.evidence import EvidenceChanged, Pinned, Scratch, ScratchFile

__all__ = ("HomeScratch",)


class _Payload(Pinned):
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    @override
    async def read(self, offset: int, length: int) -> bytes:
        data = await asyncio.to_thread(os.pread, self._file.fileno(), length, offset)
        if len(data) < length:
            raise EvidenceChanged
        return data

    @override
    def close(self) -> None:
        self._file.close()


class _File(ScratchFile):
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    @override
    async def write(self, data: bytes) -> None:
        await asyncio.to_thread(self._file.write, data)

    @override
    def pinned(self) -> Pinned:
        return _Payload(self._file)

    @override
    def close(self) -> None:
        self._file.close()


class HomeScratch(Scratch):
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @override
    async def new(self) -> ScratchFile:
        return _File(TemporaryFile(dir=self._folder, buffering=0))

    def free_bytes(self) -> int:
        """What the disk has for us; nothing where that cannot be told."""
        try:
            found = os.statvfs(self._folder)
        except OSError:
            return 0
        return found.f_bavail * found.f_frsize
