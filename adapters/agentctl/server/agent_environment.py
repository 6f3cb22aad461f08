"""The environment of an instance: agentctl's own process at the bottom, managed access on top.

Nothing here merges; `domain.environment` does. No value of a secret is in a problem's text.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from adapters.agentctl import wire
from adapters.agentctl.server.instance_sockets import Opened
from domain import (
    ambient_credentials,
    environment,
    git_config,
    managed_git,
    managed_shell,
    withheld_names,
)
from domain.environment import EnvironmentProblem, Explanation, Layer, LayerName
from domain.environment_sentence import sentence
from domain.managed_git import ManagedHost
from domain.outcome import Failure, Result, Success, failed
from domain.withheld_names import PRIVATE_PREFIXES
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("AgentEnvironment", "compose", "write_authorities")


@dataclass(frozen=True, slots=True)
class AgentEnvironment:
    """`variables` are the agent's, whole; `removed` the names that were taken on the way."""

    variables: Mapping[str, str] = field(repr=False)
    removed: tuple[str, ...]
    explanation: Explanation


def compose(
    asked: wire.Create,
    host: Mapping[str, str],
    managed: Opened | None,
    authorities: Mapping[str, str],
) -> Result[AgentEnvironment, RuntimeProblem]:
    """Compose what was asked for; `authorities` maps a host to the file that signs it."""
    cleared = ambient_credentials.cleared([Layer(LayerName.HOST, host), *map(_layer, asked.layers)])
    if failed(cleared):
        return Failure(_problem(cleared.failure()))
    taken: set[str] = set()
    lower: list[Layer] = []
    for layer in cleared.unwrap():
        withhold = withheld_names.from_layer if lower else withheld_names.from_host
        withheld = withhold(layer)
        taken.update(name for name in withheld.names if not name.startswith(PRIVATE_PREFIXES))
        lower.append(withheld.layer)

    explained = environment.explain([*lower, _highest(asked, lower, managed, authorities)])
    if failed(explained):
        return Failure(_problem(explained.failure()))
    explanation = explained.unwrap()
    taken.update(removal.name for removal in explanation.removed)
    return Success(AgentEnvironment(_variables(explanation), tuple(sorted(taken)), explanation))


def write_authorities(managed: wire.Managed, directory: Path) -> dict[str, str]:
    """Write each host's certificate authority to a file of the instance's. Raises `OSError`."""
    written: dict[str, str] = {}
    for position, host in enumerate(managed.hosts):
        if host.certificate_authority is not None:
            path = directory / f"authority-{position}.pem"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(path, flags, 0o600), "w", encoding="ascii") as file:
                file.write(host.certificate_authority)
            written[host.host] = str(path)
    return written


def _highest(
    asked: wire.Create,
    lower: Sequence[Layer],
    managed: Opened | None,
    authorities: Mapping[str, str],
) -> Layer:
    variables = {
        "KANDEV_TASK_ID": asked.task,
        "KANDEV_SESSION_ID": asked.session,
        "KANDEV_EXECUTION_ID": asked.execution,
    }
    removes = frozenset(asked.removes)
    if asked.managed is None or managed is None:
        return Layer(LayerName.MANAGED, variables, removes=removes)
    hosts = [ManagedHost(h.host, authorities.get(h.host)) for h in asked.managed.hosts]
    bundle = _last(lower, managed_git.CERTIFICATES)
    entries = managed_git.entries(hosts, managed.helper, bundle)
    return Layer(
        LayerName.MANAGED,
        variables
        | git_config.serialize(entries)
        | managed_git.variables()
        | managed.variables
        | managed_shell.added(managed.tools, lambda name: _last(lower, name)),
        removes=removes | managed_git.taken(hosts),
    )


def _last(lower: Sequence[Layer], name: str) -> str | None:
    """What the layers agree on in the end."""
    value = None
    for layer in lower:
        value = layer.variables.get(name, None if name in layer.removes else value)
    return value


def _variables(explanation: Explanation) -> dict[str, str]:
    scalars = {variable.name: variable.value for variable in explanation.variables}
    return scalars | git_config.serialize([origin.entry for origin in explanation.entries])


def _layer(layer: wire.Layer) -> Layer:
    return Layer(layer.name, layer.variables, frozenset(layer.secrets), frozenset(layer.removes))


def _problem(problem: EnvironmentProblem) -> RuntimeProblem:
    return RuntimeProblem(RuntimeCode.ENVIRONMENT, sentence(problem))
