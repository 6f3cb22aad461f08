"""Texts that are shown once and found again by their digest: cookies, invitations, claim codes.

Each is a prefix of its kind and 256 random bits, which need no salt: what is kept is the SHA-256.
"""

import re
from base64 import urlsafe_b64encode
from enum import StrEnum
from hashlib import sha256
from typing import Final

from domain.secret import Secret

__all__ = ("RANDOM_BYTES", "Kind", "digest", "spell")

RANDOM_BYTES: Final = 32

_RANDOM: Final = re.compile(r"[A-Za-z0-9_-]{43}")


class Kind(StrEnum):
    """The prefix of a text, which says what it is for and lets it be told from others."""

    SIGN_IN = "kds_"
    INVITATION = "kdi_"
    CLAIM = "kdc_"


def spell(kind: Kind, random: bytes) -> Secret:
    """Raises ValueError for anything but `RANDOM_BYTES`."""
    if len(random) != RANDOM_BYTES:
        raise ValueError("it is made of 32 random bytes")
    return Secret(kind.value + urlsafe_b64encode(random).rstrip(b"=").decode())


def digest(kind: Kind, shown: str) -> str | None:
    """The SHA-256 in hexadecimal; None for a text that is none of this kind."""
    if not shown.startswith(kind.value) or not _RANDOM.fullmatch(shown[len(kind.value) :]):
        return None
    return sha256(shown.encode()).hexdigest()
