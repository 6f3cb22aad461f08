"""How both ends of a connection to agentctl prove that they know its key.

The key is 32 random bytes that agentctl read from stdin. Each handshake mixes a nonce of each side
into two HMAC-SHA-256 values: the proof that the server gives, and the session that the client shows
from then on. Neither tells the key, and the one is of no use as the other.
"""

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Callable
from typing import Final

from adapters.agentctl.wire import Hello, Welcome

__all__ = ("KEY_BYTES", "MAX_SESSIONS", "NONCE_BYTES", "Proofs", "proves", "session", "text_of")

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 32
MAX_SESSIONS: Final = 64
"""Handshakes that are honoured at once; the oldest is forgotten first."""

_NONCE_LENGTH = 43


class Proofs:
    """The server's side. Without a key there is no handshake, and no session is admitted."""

    def __init__(self, key: bytes | None, random: Callable[[int], bytes]) -> None:
        if key is not None and len(key) != KEY_BYTES:
            raise ValueError("the key has 32 bytes")
        self._key = key
        self._random = random
        self._sessions: deque[bytes] = deque(maxlen=MAX_SESSIONS)

    def welcome(self, hello: Hello) -> Welcome | None:
        """Answer a client's nonce; None without a key, or when the nonce is none."""
        if self._key is None or not _is_nonce(hello.nonce):
            return None
        nonce = text_of(self._random(NONCE_BYTES))
        self._sessions.append(session(self._key, hello.nonce, nonce).encode())
        return Welcome(nonce, _mix(self._key, b"agentctl", hello.nonce, nonce))

    def admits(self, shown: str) -> bool:
        """Whether a session is one of ours; every one is compared, in constant time."""
        candidate = shown.encode()
        found = False
        for known in self._sessions:
            found |= hmac.compare_digest(known, candidate)
        return found


def proves(key: bytes, nonce: str, welcome: Welcome) -> bool:
    """Whether the server knows the key: the client's check of the answer to its `nonce`."""
    expected = _mix(key, b"agentctl", nonce, welcome.nonce)
    return hmac.compare_digest(expected.encode(), welcome.proof.encode())


def session(key: bytes, client_nonce: str, server_nonce: str) -> str:
    """What the client shows as its bearer token after a handshake."""
    return _mix(key, b"control plane", client_nonce, server_nonce)


def text_of(raw: bytes) -> str:
    """Bytes in base64url without padding (RFC 4648, 5)."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _mix(key: bytes, role: bytes, client_nonce: str, server_nonce: str) -> str:
    message = b"\0".join((b"kandev-agentctl-1", role, client_nonce.encode(), server_nonce.encode()))
    return text_of(hmac.new(key, message, hashlib.sha256).digest())


def _is_nonce(text: str) -> bool:
    if len(text) != _NONCE_LENGTH or not text.isascii():
        return False
    try:
        return len(urlsafe_b64decode(text + "=")) == NONCE_BYTES
    except ValueError:
        return False
