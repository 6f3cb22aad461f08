"""Secrets at rest: sealed for one place, opened only there."""

from dataclasses import dataclass
from typing import Protocol

from domain.outcome import Result
from domain.secret import Secret

__all__ = ("SecretPlace", "Unsealable", "Vault")


@dataclass(frozen=True, slots=True)
class SecretPlace:
    """What a sealed value is bound to; it opens nowhere else."""

    id: str
    owner: str
    scope: str


@dataclass(frozen=True, slots=True)
class Unsealable:
    """The value was sealed with another key, for another place, or was altered."""

    place: SecretPlace


class Vault(Protocol):
    def seal(self, place: SecretPlace, value: Secret) -> bytes: ...
    def open(self, place: SecretPlace, sealed: bytes) -> Result[Secret, Unsealable]: ...
