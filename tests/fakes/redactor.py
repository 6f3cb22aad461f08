"""A redactor that only remembers what it was told to redact."""

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
