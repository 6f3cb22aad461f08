"""The last lines of an agent's stderr: bounded in number and length, redacted when shown."""

import re
from typing import Final

from domain.redaction import Redactor, Surface

__all__ = ("StderrTail",)

_HELD: Final = 4
"""Lines are held longer than shown: a secret that the bound cuts in two is not shown in part."""

_CONTROL: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI, ECMA-48 section 5.4
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC, section 8.3.89
    r"|[\x00-\x08\x0b-\x1f\x7f]"
)


class StderrTail:
    __slots__ = ("_limit", "_lines", "_redactor", "_rest", "_width")

    def __init__(self, lines: int, width: int, redactor: Redactor) -> None:
        self._lines: list[bytes] = []
        self._limit = lines
        self._width = width
        self._redactor = redactor
        self._rest = b""

    def feed(self, data: bytes) -> None:
        *complete, rest = (self._rest + data).split(b"\n")
        held = self._width * _HELD
        self._lines.extend(line[:held] for line in complete)
        del self._lines[: -self._limit]
        self._rest = rest[:held]

    def text(self) -> str:
        """The tail without escape sequences and secrets, its lines joined by line breaks."""
        raw = [*self._lines, *([self._rest] if self._rest else [])]
        plain = "\n".join(
            _CONTROL.sub("", line.decode("utf-8", "replace")) for line in raw[-self._limit :]
        )
        redacted = self._redactor.redact(plain, Surface.EVIDENCE).text
        return "\n".join(line[: self._width] for line in redacted.split("\n"))
