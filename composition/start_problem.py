"""Why a server cannot start, for a person: what failed, why, what to do."""

from typing_extensions import override

__all__ = ("CannotStart",)


class CannotStart(Exception):  # noqa: N818 -- names what is the case
    """Carries a stable code beside the sentence."""

    def __init__(self, code: str, detail: str, remedy: str) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.remedy = remedy

    @override
    def __str__(self) -> str:
        return f"{self.detail} [{self.code}]\n{self.remedy}"
