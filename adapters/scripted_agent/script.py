"""The script in a prompt: lines of `name(arguments)` after a first line `e2e:`.

The arguments are JSON values separated by commas. Blank lines and lines that begin with `#` are
passed over. A prompt without the marker is no script, and is answered with a friendly echo.
"""

import json
import re
from typing import Any, NamedTuple

__all__ = ("Directive", "ScriptError", "parse")

_LINE = re.compile(r"([a-z_]+|mcp:[\w.-]+:[\w.-]+)\((.*)\)", re.DOTALL)
MARKER = "e2e:"


class Directive(NamedTuple):
    name: str
    arguments: list[Any]  # JSON values that the directive gives its own meaning


class ScriptError(Exception):
    """A line that is no directive; the text names its number."""


def parse(prompt: str) -> list[Directive]:
    """The directives of a prompt. Raises `ScriptError` for a line that is none."""
    text = prompt.strip()
    if not text.startswith(MARKER):
        return [Directive("message", [f"I am a scripted agent. You said: {text[:2000]}"])]
    lines = enumerate(text[len(MARKER) :].splitlines(), 1)
    return [
        _directive(number, line.strip())
        for number, line in lines
        if line.strip() and not line.strip().startswith("#")
    ]


def _directive(number: int, line: str) -> Directive:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ScriptError(f"line {number} is not name(arguments)")
    try:
        arguments = json.loads(f"[{match[2]}]")
    except ValueError:
        raise ScriptError(f"line {number}: the arguments are not JSON") from None
    return Directive(match[1], arguments)
