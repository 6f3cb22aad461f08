"""Looks where an agent is to run for what managed access cannot hold against, and refuses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from adapters.agentctl import wire
from adapters.agentctl.server.git_explanation import netrc_machines
from domain.checkup import NEEDED_GIT, parse_git_version
from domain.git_failure import GitCode
from domain.launch_check import AmbientNetrc, GitTooOld, LaunchRefusal, check
from domain.outcome import failed
from ports.git import GitProcess
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("LaunchCheck",)

QUESTION_SECONDS: Final = 10.0
"""For git to say its version."""


@dataclass(frozen=True, slots=True)
class LaunchCheck:
    git: GitProcess

    async def __call__(
        self, managed: wire.Managed, variables: Mapping[str, str]
    ) -> RuntimeProblem | None:
        """Why the launch is refused, if it is. A machine without git has nothing to refuse here."""
        told = await self.git(
            ["version"], directory="/", environment=variables, seconds=QUESTION_SECONDS
        )
        if failed(told) and told.failure().code is GitCode.MISSING:
            return None
        version = None if failed(told) else parse_git_version(told.unwrap().stdout)
        refused = check(
            [each.host for each in managed.hosts],
            netrc_machines(variables),
            None if version is None or failed(version) else version.unwrap(),
            accepts_netrc=managed.accept_netrc,
        )
        return None if refused is None else _problem(refused)


def _problem(refused: LaunchRefusal) -> RuntimeProblem:
    match refused:
        case AmbientNetrc(machines=machines):
            named = ", ".join(machines)
            detail = f".netrc has a credential for {named}, which git sends before it asks a helper"
            return RuntimeProblem(RuntimeCode.AMBIENT_NETRC, detail)
        case GitTooOld(version=version):
            found = "of an unknown version" if version is None else f"{version[0]}.{version[1]}"
            needed = f"{NEEDED_GIT[0]}.{NEEDED_GIT[1]}"
            detail = f"git on the agent's PATH is {found}; managed access needs {needed} or newer"
            return RuntimeProblem(RuntimeCode.GIT_TOO_OLD, detail)
        case _:
            assert_never(refused)
