"""One environment from named layers: the only function that merges environments.

Layers come lowest first. Of an ordinary variable the highest definition wins, and an explicit empty
value is a value. Git's indexed entries are one list of which nothing is lost (`git_config`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import TypeAlias

from domain import git_config
from domain.git_config import Entry, MalformedGitConfig
from domain.outcome import Failure, Result, Success, failed

__all__ = (
    "ConflictingVariable",
    "EntryOrigin",
    "EnvironmentProblem",
    "Explanation",
    "Layer",
    "LayerName",
    "Removal",
    "VariableOrigin",
    "compose",
    "explain",
    "is_chosen",
)


class LayerName(StrEnum):
    """The layers in their order; host and executor name the process at the bottom of either."""

    HOST = "host"
    EXECUTOR = "executor"
    AGENT_DEFAULTS = "agent defaults"
    AGENT_PROFILE = "agent profile"
    EXECUTOR_PROFILE = "executor profile"
    REPOSITORY = "repository"
    REQUEST = "request"
    MANAGED = "managed"


_NOBODY_CHOSE = frozenset({
    LayerName.HOST,
    LayerName.EXECUTOR,
    LayerName.AGENT_DEFAULTS,
    LayerName.MANAGED,
})
"""The last is ours; what the others define simply loses to a higher layer."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One source of variables. A name may say more than `LayerName`, such as `repository app`.

    `secrets` names the variables whose value came from a secret, `removes` those that are taken
    from lower layers. Values do not print.
    """

    name: str
    variables: Mapping[str, str] = field(repr=False)
    secrets: frozenset[str] = frozenset()
    removes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ConflictingVariable:
    """Two layers that someone chose differ about a variable, and one of them means a secret."""

    variable: str
    lower: str
    higher: str


EnvironmentProblem: TypeAlias = MalformedGitConfig | ConflictingVariable


@dataclass(frozen=True, slots=True)
class EntryOrigin:
    """An entry of the effective list and the lowest layer that brought it."""

    entry: Entry = field(repr=False)
    layer: str
    secret: bool


@dataclass(frozen=True, slots=True)
class VariableOrigin:
    """An ordinary variable as it takes effect, and the layer that defined it."""

    name: str
    value: str = field(repr=False)
    layer: str
    secret: bool


@dataclass(frozen=True, slots=True)
class Removal:
    """A name that a layer took away, and the layer that had defined it."""

    name: str
    layer: str
    removed_by: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The effective environment with the origin of each part; variables in order of their name."""

    entries: tuple[EntryOrigin, ...]
    variables: tuple[VariableOrigin, ...]
    removed: tuple[Removal, ...]


def is_chosen(name: str) -> bool:
    """Whether someone chose a layer of this name for the launch: not ambient, and not ours.

    The name begins with its `LayerName`, where a setting may have written `agent_defaults`; of a
    name that begins with none, someone is taken to have chosen it.
    """
    words = f"{name.casefold().replace('_', ' ').replace('-', ' ')} "
    kinds = [kind for kind in LayerName if words.startswith(f"{kind} ")]
    return max(kinds, key=len, default=None) not in _NOBODY_CHOSE


def compose(layers: Sequence[Layer]) -> Result[dict[str, str], EnvironmentProblem]:
    """The environment of a process, lowest layer first.

    Refuses a layer whose indexed entries git would refuse, a result over the bounds in the name of
    the layer that crossed them, and a secret that a chosen layer contradicts.
    """
    return explain(layers).map(_environment)


def explain(layers: Sequence[Layer]) -> Result[Explanation, EnvironmentProblem]:
    """What `compose` makes of the layers, and from which layer each part comes.

    An entry that several layers forward belongs to the lowest of them. A layer that removes
    `GIT_CONFIG_COUNT` takes the whole list from those below, as git would read it.
    """
    entries = _entries(layers)
    if failed(entries):
        return entries
    conflict = _conflict(layers)
    if conflict is not None:
        return Failure(conflict)

    variables, removed = _variables(layers)
    return Success(Explanation(entries.unwrap(), variables, removed))


def _environment(explanation: Explanation) -> dict[str, str]:
    entries = [origin.entry for origin in explanation.entries]
    scalars = {variable.name: variable.value for variable in explanation.variables}
    return scalars | git_config.serialize(entries)


def _entries(layers: Sequence[Layer]) -> Result[tuple[EntryOrigin, ...], MalformedGitConfig]:
    origins: list[EntryOrigin] = []
    entries: tuple[Entry, ...] = ()
    crossed: Result[tuple[Entry, ...], MalformedGitConfig] = Success(())
    for layer in layers:
        parsed = git_config.parse(layer.variables, layer.name)
        if failed(parsed):
            return parsed
        if git_config.COUNT in layer.removes:
            origins, entries, crossed = [], (), Success(())
        higher = parsed.unwrap()
        shared = git_config.overlap(entries, higher)
        origins.extend(
            EntryOrigin(higher[index], layer.name, _is_secret(layer, index))
            for index in range(shared, len(higher))
        )
        entries = (*entries, *higher[shared:])
        if not failed(crossed):
            crossed = git_config.bounded(entries, layer.name)
    if failed(crossed):
        return crossed
    return Success(tuple(origins))


def _variables(
    layers: Sequence[Layer],
) -> tuple[tuple[VariableOrigin, ...], tuple[Removal, ...]]:
    current: dict[str, VariableOrigin] = {}
    removed: list[Removal] = []
    for layer in layers:
        taken = sorted(layer.removes & current.keys())
        removed.extend(Removal(name, current.pop(name).layer, layer.name) for name in taken)
        current.update((origin.name, origin) for origin in _scalars(layer))
    return tuple(current[name] for name in sorted(current)), tuple(removed)


def _scalars(layer: Layer) -> Iterator[VariableOrigin]:
    for name, value in layer.variables.items():
        if not git_config.is_indexed(name):
            yield VariableOrigin(name, value, layer.name, name in layer.secrets)


def _conflict(layers: Sequence[Layer]) -> ConflictingVariable | None:
    """The conflict about the first variable in order of name, between its lowest two layers."""
    chosen: dict[str, list[VariableOrigin]] = {}
    for layer in layers:
        for name in layer.removes:
            chosen.pop(name, None)
        if is_chosen(layer.name):
            for origin in _scalars(layer):
                chosen.setdefault(origin.name, []).append(origin)
    for name in sorted(chosen):
        for lower, higher in combinations(chosen[name], 2):
            if lower.value != higher.value and (lower.secret or higher.secret):
                return ConflictingVariable(name, lower.layer, higher.layer)
    return None


def _is_secret(layer: Layer, index: int) -> bool:
    names = {f"{git_config.KEY_PREFIX}{index}", f"{git_config.VALUE_PREFIX}{index}"}
    return not names.isdisjoint(layer.secrets)
