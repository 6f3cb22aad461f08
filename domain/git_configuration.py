"""The git configuration of an instance as it may be shown: no value that could be a secret.

The list comes with what each entry does and where it came from, then the names that were taken, and
at the end the ways around managed access that were found by looking.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from domain.environment import Explanation
from domain.git_configuration_display import shown
from domain.git_configuration_effects import Action, effects
from domain.git_failure import GitCode
from domain.open_channels import Channel, OpenChannel, Surroundings, open_channels
from domain.redaction import Redactor

__all__ = ("GitConfiguration", "ShownEntry", "ShownVariable", "Unseen", "configuration")


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """An entry, and what it does to the earlier ones at `positions`."""

    position: int
    key: str
    value: str
    layer: str
    action: Action
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShownVariable:
    """A variable without its value."""

    name: str
    layer: str
    secret: bool


@dataclass(frozen=True, slots=True)
class Unseen:
    """A checkout that git could not be asked about: channels there are not known."""

    checkout: str
    code: GitCode


@dataclass(frozen=True, slots=True)
class GitConfiguration:
    entries: tuple[ShownEntry, ...]
    variables: tuple[ShownVariable, ...]
    removed: tuple[str, ...]
    channels: tuple[OpenChannel, ...]
    unseen: tuple[Unseen, ...]


def configuration(
    explanation: Explanation,
    removed: Iterable[str],
    around: Sequence[Surroundings],
    unseen: Iterable[Unseen],
    redactor: Redactor,
) -> GitConfiguration:
    """What may be shown of a composition; `around` is what was found at each checkout."""
    entries = [origin.entry for origin in explanation.entries]
    scalars = {variable.name: variable.value for variable in explanation.variables}
    found = (open_channels(entries, scalars, each) for each in around or (Surroundings(),))
    lines = zip(explanation.entries, effects(entries), strict=True)
    return GitConfiguration(
        tuple(
            ShownEntry(position, *shown(origin, redactor), effect.action, effect.positions)
            for position, (origin, effect) in enumerate(lines)
        ),
        tuple(
            ShownVariable(variable.name, variable.layer, variable.secret)
            for variable in explanation.variables
        ),
        tuple(sorted(removed)),
        _merged((channel for channels in found for channel in channels), redactor),
        tuple(unseen),
    )


def _merged(channels: Iterable[OpenChannel], redactor: Redactor) -> tuple[OpenChannel, ...]:
    """Each channel once, with all its places; a name is text that somebody else chose."""
    merged: dict[Channel, OpenChannel] = {}
    for each in channels:
        names = tuple(redactor.redact(name).text for name in each.names)
        known = merged.get(each.channel, OpenChannel(each.channel))
        merged[each.channel] = replace(
            known,
            positions=tuple(sorted({*known.positions, *each.positions})),
            names=tuple(dict.fromkeys((*known.names, *names))),
        )
    return tuple(merged[channel] for channel in Channel if channel in merged)
