"""The machines that a `.netrc` file has a credential for (netrc(5)); what it holds is not kept."""

from collections.abc import Iterator
from typing import Final

__all__ = ("DEFAULT", "MAX_BYTES", "machines")

DEFAULT: Final = "default"
"""Stands for every machine that is not named."""
MAX_BYTES: Final = 128 * 1024
"""What is read of a file."""

_ARGUMENTS: Final = frozenset({"login", "password", "account"})


def machines(text: str) -> tuple[str, ...]:
    """The names in their order, each once. The body of a macro ends at a blank line."""
    return tuple(dict.fromkeys(_machines(text)))


def _machines(text: str) -> Iterator[str]:
    expected = ""
    in_macro = False
    for line in text.splitlines():
        words = line.split()
        in_macro = in_macro and bool(words)
        for word in () if in_macro else words:
            if expected == "machine":
                yield word.strip('"')
            elif not expected and word.startswith("#"):
                break
            elif not expected and word == DEFAULT:
                yield DEFAULT
            elif not expected and word == "macdef":
                in_macro = True
                break
            expects = not expected and (word == "machine" or word in _ARGUMENTS)
            expected = word if expects else ""
