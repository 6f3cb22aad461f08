"""How both ends of a connection to agentctl prove that they know its key.

The key is 32 random bytes that agentctl read from stdin. A handshake mixes a nonce of each side
into two HMAC-SHA-256 values: the proof that the server gives, and the session that the client shows
from then on. Neither tells the key, and the one is of no use as the other. The server remembers no
session, so that nobody can make it forget one: a session says which nonce it was derived from.
"""

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Final

from adapters.agentctl.wire import Hello, Welcome

__all__ = ("KEY_BYTES", "NONCE_BYTES", "Proofs", "proves", "session", "text_of")

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 32

_NONCE_LENGTH = 43


class Proofs:
    """The server's side. Without a key there is no handshake, and no session is admitted.

    Its nonce is as old as the process: a session of an earlier one is worth nothing.
    """

    def __init__(self, key: bytes | None, random: Callable[[int], bytes]) -> None:
        if key is not None and len(key) != KEY_BYTES:
            raise ValueError("the key has 32 bytes")
        self._key = key
        self._nonce = text_of(random(NONCE_BYTES))

    def welcome(self, hello: Hello) -> Welcome | None:
        """Answer a client's nonce; None without a key, or when the nonce is none."""
        if self._key is None or not _is_nonce(hello.nonce):
            return None
        return Welcome(self._nonce, _mix(self._key, b"agentctl", hello.nonce, self._nonce))

    def admits(self, shown: str) -> bool:
        """Whether a session was derived from the key; compared in constant time."""
        client_nonce, _, _ = shown.partition(".")
        if self._key is None or not shown.isascii() or not _is_nonce(client_nonce):
            return False
        return hmac.compare_digest(session(self._key, client_nonce, self._nonce), shown)


def proves(key: bytes, nonce: str, welcome: Welcome) -> bool:
    """Whether the server knows the key: the client's check of the answer to its `nonce`."""
    expected = _mix(key, b"agentctl", nonce, welcome.nonce)
    return hmac.compare_digest(expected.encode(), welcome.proof.encode())


def session(key: bytes, client_nonce: str, server_nonce: str) -> str:
    """What the client shows as its bearer token: its nonce, and that it knows the key."""
    return f"{client_nonce}.{_mix(key, b'control plane', client_nonce, server_nonce)}"


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
        return text_of(urlsafe_b64decode(text + "=")) == text
    except ValueError:
        return False
