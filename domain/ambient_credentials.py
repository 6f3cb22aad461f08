"""Credentials that layers of an environment carry, and what an earlier managed access left there.

A token that someone set for a launch is a choice; one that merely lies in a process is ambient.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from domain import git_config, managed_git, managed_shell
from domain.broker_contract import NAMES, TOOLS
from domain.environment import Layer, LayerName, is_chosen
from domain.git_config import Entry, MalformedGitConfig
from domain.outcome import Result, Success, failed
from domain.withheld_names import PRIVATE_PREFIXES

__all__ = (
    "AMBIENT_TOKENS",
    "ASKPASS",
    "OVERRIDES",
    "STALE",
    "cleared",
    "inherited",
    "override",
    "present",
    "rivals",
    "withheld",
)

OVERRIDES = frozenset({"GITHUB_TOKEN", "GH_TOKEN"})
"""Tokens that win over the policy when a layer that someone chose sets them."""
AMBIENT_TOKENS = OVERRIDES | {
    "BITBUCKET_TOKEN",
    "FORGEJO_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITEA_SERVER_TOKEN",
    "GITEA_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITLAB_ACCESS_TOKEN",
    "GITLAB_TOKEN",
}
"""Tokens that the forges' own tools read, and that no agent inherits under managed access."""
ASKPASS = frozenset({"GIT_ASKPASS", "SSH_ASKPASS"})
"""Programs that git asks when no helper answered."""
STALE = NAMES
"""What goes under every policy: a broker contract is made anew or not at all."""


def override(layers: Sequence[Layer]) -> bool:
    """Whether a layer that someone chose has the last word on a token, and it is not blank."""
    effective = _effective(layers)
    return any(
        is_chosen(layer.name) and value.strip()
        for layer, value in (effective[name] for name in OVERRIDES if name in effective)
    )


def withheld(layers: Sequence[Layer]) -> frozenset[str]:
    """The names that managed access takes from the layers, whether or not they are there.

    Stale contracts, askpass programs, `GIT_CONFIG_PARAMETERS`, and tokens, except one that someone
    set for another forge than GitHub.
    """
    kept = _chosen(layers) - OVERRIDES
    return STALE | ASKPASS | managed_git.REMOVES | (AMBIENT_TOKENS - kept)


def rivals(layers: Sequence[Layer]) -> frozenset[str]:
    """The tokens that nobody chose beside one that someone did.

    `gh` reads `GH_TOKEN` first, so an ambient one would answer in place of a chosen `GITHUB_TOKEN`.
    """
    return OVERRIDES - _chosen(layers)


def present(names: Collection[str], layers: Sequence[Layer]) -> tuple[str, ...]:
    """Which of the names have a value in effect, in order."""
    effective = _effective(layers)
    return tuple(sorted(name for name in names if name in effective and effective[name][1]))


def cleared(layers: Sequence[Layer]) -> Result[tuple[Layer, ...], MalformedGitConfig]:
    """The layers without what an earlier managed access left in them, and nothing else changed."""
    clean: list[Layer] = []
    for layer in layers:
        parsed = git_config.parse(layer.variables, layer.name)
        if failed(parsed):
            return parsed
        clean.append(_without_managed(layer, parsed.unwrap()))
    return Success(tuple(clean))


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """What a process of ours hands on of its own environment: nothing that was meant for it alone.

    That is every name of ours, and what an earlier managed access left. A malformed list is handed
    on, so that it is refused where layers have names.
    """
    clean = cleared([Layer(LayerName.HOST, environment)])
    kept = environment if failed(clean) else clean.unwrap()[0].variables
    return {name: value for name, value in kept.items() if not name.startswith(PRIVATE_PREFIXES)}


def _without_managed(layer: Layer, entries: tuple[Entry, ...]) -> Layer:
    kept = managed_git.without_managed(entries)
    if kept == entries and NAMES.isdisjoint(layer.variables):
        return layer
    ours = managed_git.variables()
    tools = managed_git.tools(entries) | {layer.variables.get(TOOLS, "/dev/null")}
    scalars = {
        name: value
        for name, value in managed_shell.without(layer.variables, tools).items()
        if not git_config.is_indexed(name) and name not in NAMES and ours.get(name) != value
    }
    bundle = managed_git.certificates(entries)
    if bundle is not None:
        scalars.setdefault(managed_git.CERTIFICATES, bundle)
    secret = {
        entry for index, entry in enumerate(entries) if not layer.secrets.isdisjoint(_names(index))
    }
    # Indexes moved: an entry stays a secret under its new one.
    moved = {name for index, entry in enumerate(kept) if entry in secret for name in _names(index)}
    return replace(
        layer,
        variables=scalars | git_config.serialize(kept),
        secrets=(layer.secrets & scalars.keys()) | moved,
    )


def _names(index: int) -> tuple[str, str]:
    return f"{git_config.KEY_PREFIX}{index}", f"{git_config.VALUE_PREFIX}{index}"


def _chosen(layers: Sequence[Layer]) -> frozenset[str]:
    effective = _effective(layers)
    return frozenset(name for name, (layer, _) in effective.items() if is_chosen(layer.name))


def _effective(layers: Sequence[Layer]) -> dict[str, tuple[Layer, str]]:
    """Each variable's last word, as `environment.compose` would have it."""
    effective: dict[str, tuple[Layer, str]] = {}
    for layer in layers:
        for name in layer.removes:
            effective.pop(name, None)
        effective.update((name, (layer, value)) for name, value in layer.variables.items())
    return effective
