"""A value that must not be seen: it does not print, format, compare by accident or pickle."""

import hmac
from typing import NoReturn, final

from typing_extensions import override

__all__ = ("Secret",)


@final
class Secret:
    """Text that only `reveal()` shows, called where the value is used and nowhere else."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    @override
    def __repr__(self) -> str:
        return "Secret(***)"

    @override
    def __str__(self) -> str:
        return "***"

    @override
    def __format__(self, spec: str) -> str:
        return "***"

    @override
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value.encode(), other._value.encode())

    @override
    def __hash__(self) -> int:
        return hash(("Secret", self._value))

    @override
    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not serialised")
