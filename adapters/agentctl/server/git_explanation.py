"""Looks at what surrounds an instance's git, and explains its configuration with what was found.

Git itself is asked, in each checkout and in the instance's own environment, whenever somebody wants
to know: an agent may have changed its repository's configuration a moment ago.
"""

import json
import os
import pwd
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from adapters.agentctl.server.agent_environment import AgentEnvironment
from domain import netrc
from domain.git_config import Entry
from domain.git_configuration import GitConfiguration, Unseen, configuration
from domain.git_failure import GitFailure
from domain.open_channels import Surroundings
from domain.outcome import Result, Success, failed
from domain.redaction import Redactor
from ports.git import GitProcess

__all__ = ("GitExplainer", "Kept", "Known", "keep", "netrc_machines", "unpack")

QUESTION_SECONDS: Final = 10.0
"""For each of the two questions that a checkout is asked."""

_COMMAND: Final = "command"
"""The scope of the list itself: what is not from a file."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of an instance's git, packed: there are many instances and few questions."""

    packed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Known:
    """An instance's environment, and its checkouts by the name of their folder."""

    environment: AgentEnvironment
    checkouts: dict[str, str]


def keep(environment: AgentEnvironment, checkouts: Mapping[str, str]) -> Kept:
    """Keep it for later; `checkouts` are directories by name, empty where there is only one."""
    known = msgspec.to_builtins(Known(environment, dict(checkouts)))
    # msgspec's own encoder takes no bytes that are not UTF-8, which a value may hold.
    return Kept(zlib.compress(json.dumps(known).encode()))


def unpack(kept: Kept) -> Known:
    return msgspec.convert(json.loads(zlib.decompress(kept.packed)), Known)


@dataclass(frozen=True, slots=True)
class GitExplainer:
    git: GitProcess
    redactor: Redactor

    async def __call__(self, kept: Kept) -> GitConfiguration:
        known = unpack(kept)
        environment = known.environment
        machines = netrc_machines(environment.variables)
        around: list[Surroundings] = []
        unseen: list[Unseen] = []
        for name, directory in known.checkouts.items():
            looked = await self._look(name, directory, environment.variables, machines)
            if failed(looked):
                unseen.append(Unseen(name, looked.failure().code))
            else:
                around.append(looked.unwrap())
        return configuration(
            environment.explanation,
            environment.removed,
            around or [Surroundings(machines)],
            unseen,
            self.redactor,
        )

    async def _look(
        self, name: str, directory: str, variables: Mapping[str, str], machines: tuple[str, ...]
    ) -> Result[Surroundings, GitFailure]:
        listed = await self._ask(
            ["config", "--list", "--null", "--show-scope"], directory, variables
        )
        if failed(listed):
            return listed
        remotes = await self._ask(["remote", "--verbose"], directory, variables)
        if failed(remotes):
            return remotes
        prefix = f"{name}/" if name else ""
        return Success(
            Surroundings(
                machines,
                tuple(_remotes(remotes.unwrap(), prefix)),
                tuple(_files(listed.unwrap(), prefix)),
            )
        )

    async def _ask(
        self, arguments: Sequence[str], directory: str, variables: Mapping[str, str]
    ) -> Result[str, GitFailure]:
        answered = await self.git(
            arguments,
            directory=directory,
            environment=variables,
            seconds=QUESTION_SECONDS,
        )
        return answered.map(lambda completed: completed.stdout)


def _files(listed: str, prefix: str) -> Iterator[tuple[str, Entry]]:
    """Scope, NUL, key, line feed, value, NUL (git-config(1)); a key without a value has no feed."""
    words = listed.split("\0")
    for scope, setting in zip(words[::2], words[1::2], strict=False):
        if scope != _COMMAND:
            key, _, value = setting.partition("\n")
            yield f"{prefix}{scope}", Entry(key, value)


def _remotes(listed: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Lines of `name`, tab, URL, blank, `(fetch)` or `(push)`."""
    for line in listed.splitlines():
        name, _, rest = line.partition("\t")
        yield f"{prefix}{name}", rest.rpartition(" (")[0]


def netrc_machines(variables: Mapping[str, str]) -> tuple[str, ...]:
    """Where libcurl looks: the home that the environment names, else the user's."""
    home = variables.get("HOME") or pwd.getpwuid(os.geteuid()).pw_dir
    try:
        with Path(home, ".netrc").open(encoding="utf-8", errors="replace") as file:
            return netrc.machines(file.read(netrc.MAX_BYTES))
    except OSError:
        return ()
