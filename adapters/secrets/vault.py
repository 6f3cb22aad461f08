"""Secrets at rest: AES-256-GCM, bound to the place they are stored in (id, owner, scope)."""

import json

from cryptography.exceptions import InvalidTag

from adapters.secrets.envelope import NONCE_BYTES, Envelope, beginning, unwrap, wrap
from adapters.secrets.keyring import Keyring, Purpose
from domain.outcome import Failure, Result, Success
from domain.secret import Secret
from ports.ids import Ids
from ports.vault import SecretPlace, Unsealable

__all__ = ("AesVault",)


class AesVault:
    __slots__ = ("_ids", "_keyring")

    def __init__(self, keyring: Keyring, ids: Ids) -> None:
        self._keyring = keyring
        self._ids = ids

    def beginning(self) -> bytes:
        return beginning(self._keyring.sealing(Purpose.SECRET).id)

    def seal(self, place: SecretPlace, value: Secret) -> bytes:
        key = self._keyring.sealing(Purpose.SECRET)
        nonce = self._ids.random(NONCE_BYTES)
        plain = value.reveal().encode("utf-8", "surrogatepass")
        return wrap(
            Envelope(key.id, nonce, key.cipher.encrypt(nonce, plain, _associated(place, key.id)))
        )

    def open(self, place: SecretPlace, sealed: bytes) -> Result[Secret, Unsealable]:
        envelope = unwrap(sealed)
        key = self._keyring.opening(Purpose.SECRET, envelope.key_id) if envelope else None
        if envelope is None or key is None:
            return Failure(Unsealable(place))
        try:
            plain = key.cipher.decrypt(
                envelope.nonce, envelope.ciphertext, _associated(place, key.id)
            )
        except InvalidTag:
            return Failure(Unsealable(place))
        return Success(Secret(plain.decode("utf-8", "surrogatepass")))


def _associated(place: SecretPlace, key_id: bytes) -> bytes:
    """No two places have the same bytes: JSON keeps the parts apart."""
    return json.dumps([place.id, place.owner, place.scope, key_id.hex()]).encode()
