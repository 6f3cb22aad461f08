"""Asks an instance's git for a credential, as any git command there would, and says who answered.

The answer itself is dropped at once. Which helpers ran is in git's trace, which is written to a
private file and removed.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.agentctl.server.git_explanation import Kept, unpack
from domain.credential_doctor import Diagnosis, Examined, Setting, diagnose
from domain.git_config import Entry
from domain.outcome import failed
from ports.git import GitProcess

__all__ = ("CredentialDoctor",)

CHAIN_SECONDS: Final = 45.0
"""For the whole chain of one repository: a helper of ours waits for a restart of the server."""
QUESTION_SECONDS: Final = 10.0
"""For git's own configuration."""

_ACTION: Final = " get"


@dataclass(frozen=True, slots=True)
class CredentialDoctor:
    git: GitProcess

    async def __call__(self, kept: Kept, examined: Sequence[Examined]) -> Sequence[Diagnosis]:
        known = unpack(kept)
        variables = known.environment.variables
        anywhere = next(iter(known.checkouts.values()), "/")
        return [
            await self._examine(each, known.checkouts.get(each.folder, anywhere), variables)
            for each in examined
        ]

    async def _examine(
        self, examined: Examined, directory: str, variables: Mapping[str, str]
    ) -> Diagnosis:
        listed = await self.git(
            ["config", "--list", "--null", "--show-scope", "--show-origin"],
            directory=directory,
            environment=variables,
            seconds=QUESTION_SECONDS,
        )
        settings = [] if failed(listed) else list(_settings(listed.unwrap().stdout))
        ran, answered = await self._ask(examined, directory, variables)
        return diagnose(examined, settings, ran, answered=answered)

    async def _ask(
        self, examined: Examined, directory: str, variables: Mapping[str, str]
    ) -> tuple[Sequence[str], bool]:
        """The helpers that git ran, and whether it got a password."""
        identity = examined.identity
        question = f"protocol=https\nhost={identity.host}\npath={identity.path[1:]}.git\n\n"
        with tempfile.TemporaryDirectory(prefix="kandev-doctor-") as private:
            trace = Path(private, "trace")
            told = await self.git(
                ["credential", "fill"],
                directory=directory,
                environment={**variables, "GIT_TRACE2_EVENT": str(trace)},
                seconds=CHAIN_SECONDS,
                stdin=question.encode(),
            )
            ran = list(_ran(trace))
        return ran, not failed(told) and "\npassword=" in told.unwrap().stdout


def _settings(listed: str) -> Iterator[Setting]:
    """Scope, NUL, origin, NUL, key, line feed, value, NUL (git-config(1))."""
    words = listed.split("\0")
    for scope, origin, setting in zip(words[::3], words[1::3], words[2::3], strict=False):
        key, _, value = setting.partition("\n")
        yield Setting(scope, origin, Entry(key, value))


def _ran(trace: Path) -> Iterator[str]:
    """The commands of the helpers, in order: the children of git's own first process."""
    first: object = None
    for line in trace.read_bytes().splitlines() if trace.exists() else ():
        event = json.loads(line)
        first = first or event.get("sid")
        argv = event.get("argv") or [""]
        if event.get("event") == "child_start" and event.get("sid") == first:
            called = str(argv[0])
            if called.endswith(_ACTION):
                yield called.removesuffix(_ACTION)
