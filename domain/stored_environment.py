"""An environment as someone stores it for later: literals as they are, secrets sealed by the vault.

A secret is named here and seen nowhere. One that was named and not given yet is missing: what
needs it does not start.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from domain import git_config
from domain.git_config import MalformedGitConfig
from domain.outcome import Failure, Result, Success, failed
from domain.secret import Secret
from domain.secret_forms import needles
from domain.variables import InvalidVariable, check_variables
from domain.withheld_names import PRIVATE_PREFIXES

__all__ = (
    "MAX_BYTES",
    "MAX_SECRETS",
    "MAX_VARIABLE_BYTES",
    "ChosenEnvironment",
    "EnvironmentFault",
    "SecretMissing",
    "StoredEnvironment",
    "UnstorableEnvironment",
    "UnstorableVariable",
    "check",
)

MAX_VARIABLE_BYTES: Final = 128 * 1024
"""One variable as `NAME=VALUE` with its NUL: Linux starts nothing with a longer one (execve(2))."""
MAX_BYTES: Final = 512 * 1024
"""All variables of one environment together; Linux gives a program 2 MiB, arguments included."""
MAX_SECRETS: Final = 64
"""Secrets of one environment, each of which every sink looks for from then on."""

_SOME_KEY: Final = "some.key"


@dataclass(frozen=True, slots=True)
class StoredEnvironment:
    """`sealed` has each secret's name, and None for one that was named and not given yet."""

    literals: Mapping[str, str] = field(default_factory=dict, repr=False)
    sealed: Mapping[str, bytes | None] = field(default_factory=dict, repr=False)

    @property
    def missing(self) -> tuple[str, ...]:
        """The secrets that were not given yet, in order of their name."""
        return tuple(sorted(name for name, sealed in self.sealed.items() if sealed is None))


@dataclass(frozen=True, slots=True)
class ChosenEnvironment:
    """What someone wants stored, whole. A secret without a value is one that is kept as it is."""

    literals: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: Mapping[str, Secret | None] = field(default_factory=dict)


class EnvironmentFault(StrEnum):
    """Why an environment cannot be stored.

    A secret is `UNREDACTABLE` when it is so short that no sink could look for it.
    """

    RESERVED = "reserved"
    DEFINED_TWICE = "defined_twice"
    UNREDACTABLE = "unredactable"
    TOO_LONG = "too_long"
    TOO_MANY_SECRETS = "too_many_secrets"


@dataclass(frozen=True, slots=True)
class UnstorableVariable:
    """`variable` is the first that is at fault; empty when no single one is."""

    variable: str
    fault: EnvironmentFault


@dataclass(frozen=True, slots=True)
class SecretMissing:
    """A secret that `layer` names has no value that can be opened."""

    layer: str
    variable: str


UnstorableEnvironment: TypeAlias = InvalidVariable | UnstorableVariable | MalformedGitConfig


def check(
    chosen: ChosenEnvironment, layer: str
) -> Result[ChosenEnvironment, UnstorableEnvironment]:
    """Refuse what could never be given to an agent; `layer` is what the environment will be.

    Of git's list only what secrets do not hide can be judged now; a launch judges it whole.
    """
    given = {name: secret.reveal() for name, secret in chosen.secrets.items() if secret is not None}
    hidden = {name: given.get(name, _placeholder(name)) for name in chosen.secrets}
    variables = {**hidden, **chosen.literals}
    valid = check_variables(variables)
    if failed(valid):
        return valid
    unreadable = next(
        (name for name, value in variables.items() if not _is_text(name, value)), None
    )
    if unreadable is not None:
        return Failure(InvalidVariable(unreadable))
    fault = _fault(chosen, variables)
    if fault is not None:
        return Failure(fault)
    parsed = git_config.parse(variables, layer)
    return parsed if failed(parsed) else Success(chosen)


def _placeholder(name: str) -> str:
    return "0" if name == git_config.COUNT else _SOME_KEY


def _is_text(name: str, value: str) -> bool:
    """Whether both can be stored: a lone surrogate is no character."""
    return not any("\ud800" <= character <= "\udfff" for character in name + value)


def _fault(chosen: ChosenEnvironment, variables: Mapping[str, str]) -> UnstorableVariable | None:
    for name in variables:
        if name.startswith(PRIVATE_PREFIXES):
            return UnstorableVariable(name, EnvironmentFault.RESERVED)
        if name in chosen.literals and name in chosen.secrets:
            return UnstorableVariable(name, EnvironmentFault.DEFINED_TWICE)
        secret = chosen.secrets.get(name)
        if secret is not None and not needles(secret.reveal()):
            return UnstorableVariable(name, EnvironmentFault.UNREDACTABLE)
    sizes = {name: _size(name, value) for name, value in variables.items()}
    long = next((name for name, size in sizes.items() if size > MAX_VARIABLE_BYTES), None)
    if long is not None:
        return UnstorableVariable(long, EnvironmentFault.TOO_LONG)
    if sum(sizes.values()) > MAX_BYTES:
        return UnstorableVariable("", EnvironmentFault.TOO_LONG)
    if len(chosen.secrets) > MAX_SECRETS:
        return UnstorableVariable("", EnvironmentFault.TOO_MANY_SECRETS)
    return None


def _size(name: str, value: str) -> int:
    return len(name.encode()) + len(value.encode()) + len("=\0")
