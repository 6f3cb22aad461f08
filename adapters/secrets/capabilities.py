"""Capabilities, sealed with a key that nothing else is sealed with."""

from cryptography.exceptions import InvalidTag

from adapters.secrets.keyring import Keyring, Purpose
from domain.capability import (
    NONCE_BYTES,
    Claims,
    Sealed,
    associated,
    decode,
    encode,
    frame,
    unframe,
)
from domain.lease import LeaseRefusal, Refusal
from domain.outcome import Failure, Result, failed
from domain.secret import Secret
from ports.ids import Ids

__all__ = ("AesCapabilities",)


class AesCapabilities:
    __slots__ = ("_ids", "_keyring")

    def __init__(self, keyring: Keyring, ids: Ids) -> None:
        self._keyring = keyring
        self._ids = ids

    def seal(self, claims: Claims) -> Secret:
        key = self._keyring.sealing(Purpose.CAPABILITY)
        nonce = self._ids.random(NONCE_BYTES)
        sealed = key.cipher.encrypt(nonce, encode(claims), associated(key.id))
        return frame(Sealed(key.id, nonce, sealed))

    def open(self, capability: Secret) -> Result[Claims, LeaseRefusal]:
        framed = unframe(capability)
        if failed(framed):
            return framed
        sealed = framed.unwrap()
        key = self._keyring.opening(Purpose.CAPABILITY, sealed.key_id)
        if key is None:
            return Failure(LeaseRefusal(Refusal.INVALID))
        try:
            plain = key.cipher.decrypt(sealed.nonce, sealed.ciphertext, associated(key.id))
        except InvalidTag:
            return Failure(LeaseRefusal(Refusal.INVALID))
        return decode(plain)
