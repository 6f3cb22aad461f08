"""A sealed value as it is stored: a version, the name of its key, a nonce and the ciphertext."""

from typing import Final, NamedTuple

__all__ = ("KEY_ID_BYTES", "NONCE_BYTES", "Envelope", "beginning", "key_id_of", "unwrap", "wrap")

KEY_ID_BYTES: Final = 8
NONCE_BYTES: Final = 12

_VERSION: Final = b"\x01"


class Envelope(NamedTuple):
    key_id: bytes
    nonce: bytes
    ciphertext: bytes


def wrap(envelope: Envelope) -> bytes:
    return beginning(envelope.key_id) + envelope.nonce + envelope.ciphertext


def beginning(key_id: bytes) -> bytes:
    """How everything begins that the key of this name sealed."""
    return _VERSION + key_id


def unwrap(sealed: bytes) -> Envelope | None:
    """The parts, None when it is of another version or cut short."""
    head = 1 + KEY_ID_BYTES
    if sealed[:1] != _VERSION or len(sealed) <= head + NONCE_BYTES:
        return None
    return Envelope(sealed[1:head], sealed[head : head + NONCE_BYTES], sealed[head + NONCE_BYTES :])


def key_id_of(sealed: bytes) -> bytes:
    """The name of the key that opens it; empty, which names none, for what is not sealed."""
    envelope = unwrap(sealed)
    return envelope.key_id if envelope else b""
