"""The one list of values that no sink may show."""

from typing import Protocol

from domain.redaction import Redacted
from domain.secret import Secret

__all__ = ("Redactor",)


class Redactor(Protocol):
    def register(self, secret: Secret) -> None:
        """From now on the value is redacted, in every encoding that sinks know. Idempotent."""
        ...

    def redact(self, text: str) -> str:
        """The text without registered values and without what has the shape of a secret."""
        ...

    def redact_transcript(self, text: str) -> str:
        """The same for what people and agents say, where source code is no secret."""
        ...

    def mask(self, data: bytes) -> Redacted[bytes]:
        """The same for bytes, with how many places were masked."""
        ...
