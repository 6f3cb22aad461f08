"""What `BASH_ENV` names: bash expands its value before it reads the file (bash(1), INVOCATION).

Only plain variables are expanded here. What would run a command, or any other form, stays as it is
written and names no file.
"""

import re
from collections.abc import Callable

__all__ = ("expanded",)

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")


def expanded(text: str, value_of: Callable[[str], str | None]) -> str:
    """The text with `$NAME` and `${NAME}` replaced; one that is not set is nothing, as in bash."""
    return _VARIABLE.sub(lambda found: value_of(found[1] or found[2]) or "", text)
