"""Variables that never reach an agent: those that redirect git, and our own from the host.

A control plane that was started from a git hook, an alias or another agent inherits variables that
point git at another repository, and sockets and tokens of another instance. They are taken away
before layers are composed, and which ones is said.
"""

from dataclasses import dataclass, replace

from domain.environment import Layer

__all__ = ("GIT_REDIRECTS", "PRIVATE_PREFIXES", "Withheld", "from_host", "from_layer")

GIT_REDIRECTS = frozenset({
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
})
"""What points git at another repository, object store, index or namespace: git(1) and what
`git rev-parse --local-env-vars` lists, less git's indexed and quoted configuration."""

PRIVATE_PREFIXES = ("KANDEV_", "AGENTCTL_")
"""Names of ours. An agent gets the few that a higher layer gives it, none from the host."""


@dataclass(frozen=True, slots=True)
class Withheld:
    """A layer without what it may not pass on, and the names that were taken, in order."""

    layer: Layer
    names: tuple[str, ...]


def from_host(layer: Layer) -> Withheld:
    """Take from the host's or the executor's process what redirects git, and what is ours."""
    private = {name for name in layer.variables if name.startswith(PRIVATE_PREFIXES)}
    return _without(layer, frozenset(private) | GIT_REDIRECTS)


def from_layer(layer: Layer) -> Withheld:
    """Take from any layer what redirects git."""
    return _without(layer, GIT_REDIRECTS)


def _without(layer: Layer, names: frozenset[str]) -> Withheld:
    kept = {name: value for name, value in layer.variables.items() if name not in names}
    taken = tuple(sorted(name for name in layer.variables if name in names))
    return Withheld(replace(layer, variables=kept, secrets=layer.secrets - names), taken)
