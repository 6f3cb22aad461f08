"""An entry of git's list as it may be shown: what could hold a secret is masked.

The value of a telling variable and a shell snippet that is not ours are masked whole; the rest,
keys included, passes the redactor, which knows the registered values and the shapes of secrets.
"""

import re
from typing import NamedTuple

from domain import managed_git
from domain.environment import EntryOrigin
from domain.git_key import Key, split
from domain.redaction import MASK, Redactor

__all__ = ("ShownOrigin", "shown")

_TELLING = re.compile(r"token|secret|passw|passphrase|pass$|header$|api-?key|private-?key|cookie$")
_PROGRAMS = frozenset({("core", "askpass")})


class ShownOrigin(NamedTuple):
    """Key, value and layer of one entry, safe to print."""

    key: str
    value: str
    layer: str


def shown(origin: EntryOrigin, redactor: Redactor) -> ShownOrigin:
    """Mask what could hold a secret; an empty value, which clears a list, stays as it is."""
    entry = origin.entry
    if not entry.value or managed_git.is_managed(entry):
        value = entry.value
    elif origin.secret or _is_telling(split(entry.key)) or entry.value.startswith("!"):
        value = MASK
    else:
        value = redactor.redact(entry.value).text
    key = redactor.redact(entry.key).text
    return ShownOrigin(_representable(key), _representable(value), origin.layer)


def _representable(text: str) -> str:
    """Bytes that are not UTF-8 are told by their number, since what is shown travels as JSON."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _is_telling(key: Key) -> bool:
    if (key.section, key.variable) in _PROGRAMS:
        return False
    return _TELLING.search(key.variable) is not None
