"""The examination of an installation, as `kandev doctor` makes it, from within the server."""

from collections.abc import Sequence
from typing import Protocol

from domain.checkup import Finding

__all__ = ("Examination",)


class Examination(Protocol):
    async def findings(self) -> Sequence[Finding]:
        """What is found now, or was a moment ago; nothing is changed. Who asks meanwhile waits."""
        ...
