"""The values issued by this process, held for as long as there is room.

A value of our own (a lease, a capability, a token) is known by its shape as well, so of those the
oldest makes room for a new value when the list is full. A connection's secret never does.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final

from domain.outcome import failed
from domain.redaction import Redacted, Redactor, Surface, Unredactable
from domain.secret import Secret

__all__ = ("OWN_PREFIXES", "Registry", "RegistryFull")

OWN_PREFIXES: Final = ("kdl_", "kdc_", "kdt_")


class RegistryFull(Exception):  # noqa: N818 -- it says what is, as the problems do
    """There is no room for one more secret of a connection: it must not be used."""


class Registry:
    """Registering is serialised; redacting never waits for it."""

    __slots__ = ("_lock", "_own", "_redactor", "_seen")

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._own: OrderedDict[Secret, None] = OrderedDict()
        self._seen: set[Secret] = set()
        self._lock = Lock()

    def register(self, secret: Secret) -> None:
        """A value that is too short to be looked for is passed over. Raises `RegistryFull`."""
        with self._lock:
            if secret in self._own:
                self._own.move_to_end(secret)
            elif secret not in self._seen:
                self._add(secret)

    def redact(self, text: str) -> str:
        return self._redactor.redact(text).text

    def redact_transcript(self, text: str) -> str:
        return self._redactor.redact(text, Surface.TRANSCRIPT).text

    def mask(self, data: bytes) -> Redacted[bytes]:
        """The same for bytes, with how many places were masked."""
        return self._redactor.redact(data)

    def _add(self, secret: Secret) -> None:
        registered = self._redactor.register(secret)
        while failed(registered) and registered.failure() is Unredactable.TOO_MANY:
            if not self._own:
                raise RegistryFull
            oldest, _ = self._own.popitem(last=False)
            self._redactor.forget(oldest)
            registered = self._redactor.register(secret)
        if failed(registered):
            return
        if secret.reveal().startswith(OWN_PREFIXES):
            self._own[secret] = None
        else:
            self._seen.add(secret)
