"""Passwords by Argon2id (RFC 9106), kept as strings in PHC format with their own parameters."""

import asyncio
from threading import Lock
from typing import Final

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from typing_extensions import override

from domain.secret import Secret
from ports.ids import Ids
from ports.passwords import Passwords

__all__ = ("MEMORY_KIB", "Argon2Passwords")

MEMORY_KIB: Final = 64 * 1024
"""The second recommendation of RFC 9106, section 4, with one pass less: it is asked for often."""
PASSES: Final = 1
LANES: Final = 4
SALT_BYTES: Final = 16
KEPT_BYTES: Final = 32

_one_at_a_time = Lock()


class Argon2Passwords(Passwords):
    """Off the event loop, one after the other: each takes `MEMORY_KIB` and every lane there is.

    OpenSSL's threads are the process's own: where another derivation has them, one fails.
    """

    __slots__ = ("_ids", "_nobodys", "_turn")

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._turn = asyncio.Lock()
        self._nobodys: str | None = None

    @override
    async def keep(self, password: Secret) -> str:
        salt = self._ids.random(SALT_BYTES)
        async with self._turn:
            return await asyncio.to_thread(_keep, password, salt)

    @override
    async def are_same(self, password: Secret, kept: str | None) -> bool:
        if kept is None and self._nobodys is None:
            self._nobodys = await self.keep(Secret("nobody"))
        async with self._turn:
            same = await asyncio.to_thread(_are_same, password, kept or self._nobodys or "")
        return same and kept is not None


def _keep(password: Secret, salt: bytes) -> str:
    function = Argon2id(
        salt=salt,
        length=KEPT_BYTES,
        iterations=PASSES,
        lanes=LANES,
        memory_cost=MEMORY_KIB,
    )
    with _one_at_a_time:
        return function.derive_phc_encoded(password.reveal().encode())


def _are_same(password: Secret, kept: str) -> bool:
    try:
        # Who gave up waiting left a thread behind that still computes.
        with _one_at_a_time:
            Argon2id.verify_phc_encoded(password.reveal().encode(), kept)
    except InvalidKey:
        return False
    return True
