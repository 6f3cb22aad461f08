"""`kandev demo-agent`: the scripted agent that ships for demonstrations and tests."""

import os
import sys
from collections.abc import Sequence

__all__ = ("main",)


def main(arguments: Sequence[str]) -> int:
    """Become the agent's own interpreter, isolated from the directory that it works in."""
    os.execv(  # noqa: S606 -- the program is this interpreter
        sys.executable, [sys.executable, "-I", "-m", "adapters.scripted_agent", *arguments]
    )
