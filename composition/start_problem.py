"""What a person is told when something cannot be done: what failed, why, what to do."""

from typing_extensions import override

__all__ = ("CannotStart", "Refused", "Told")


class Told(Exception):  # noqa: N818 -- names what it is for
    """Carries a stable code beside the sentence."""

    def __init__(self, code: str, detail: str, remedy: str) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.remedy = remedy

    @override
    def __str__(self) -> str:
        return f"{self.detail} [{self.code}]\n{self.remedy}"


class CannotStart(Told):
    """No server can be reached, or started, or kept from starting."""


class Refused(Told):
    """A command was refused, or failed."""
