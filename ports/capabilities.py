"""Sealed proof that an execution was once granted a lease for a scope."""

from typing import Protocol

from domain.capability import Claims
from domain.lease import LeaseRefusal
from domain.outcome import Result
from domain.secret import Secret

__all__ = ("Capabilities",)


class Capabilities(Protocol):
    def seal(self, claims: Claims) -> Secret: ...

    def open(self, capability: Secret) -> Result[Claims, LeaseRefusal]:
        """The claims of a capability that this installation sealed; `INVALID` for any other."""
        ...
