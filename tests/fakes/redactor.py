"""A redactor that only remembers what it was told to redact."""

from domain.redaction import Redacted
from domain.secret import Secret

__all__ = ("ListingRedactor",)


class ListingRedactor:
    def __init__(self) -> None:
        self.registered: set[str] = set()

    def register(self, secret: Secret) -> None:
        self.registered.add(secret.reveal())

    def redact(self, text: str) -> str:
        for value in self.registered:
            text = text.replace(value, "***")
        return text

    def redact_transcript(self, text: str) -> str:
        return self.redact(text)

    def mask(self, data: bytes) -> Redacted[bytes]:
        masked = sum(data.count(value.encode()) for value in self.registered)
        return Redacted(self.redact(data.decode()).encode(), masked)
