"""What the store has of the audit log: a part of a unit of work, as the rest of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from domain.audit import AuditEntry, AuditQuery

__all__ = ("AuditReader", "AuditWriter")


class AuditReader(Protocol):
    async def audit(self, query: AuditQuery) -> Sequence[AuditEntry]:
        """A page, in the order of the entries' numbers."""
        ...


class AuditWriter(Protocol):
    async def add_audit(self, entry: AuditEntry) -> None:
        """Add an entry, which is stored if the unit is; its number is never given twice."""
        ...

    async def prune_audit(self, before: datetime) -> int:
        """Remove the entries from before a moment; their count."""
        ...
