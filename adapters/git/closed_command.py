"""Git commands that nothing outside them can steer: an environment and a configuration of ours.

What is set here stands ahead of the configuration of whatever repository the command runs in.
"""

import os
import tempfile
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from adapters.git import credential_socket
from domain import git_command, git_config
from domain.git_config import Entry
from domain.git_failure import GitFailure
from domain.managed_git import CERTIFICATES
from domain.outcome import Result, failed
from domain.repository import parse_remote
from ports.git import Completed, GitProcess, RemoteAccess

__all__ = ("Closed", "ClosedCommands")

DEFAULT_USERNAME: Final = "x-access-token"
"""For a password that came without one: forges ignore it, and git sends no empty name."""

_SETTINGS: Final = (
    Entry("core.alternateRefsCommand", "true"),
    Entry("core.askPass", ""),
    Entry("core.fsmonitor", "false"),
    Entry("core.hooksPath", "/dev/null"),
    Entry("core.sshCommand", "ssh -o BatchMode=yes"),
    Entry("credential.helper", ""),
    Entry("fetch.recurseSubmodules", "false"),
    Entry("gc.autoDetach", "false"),
    Entry("http.extraHeader", ""),
    Entry("http.followRedirects", "false"),
    Entry("http.lowSpeedLimit", "1"),
    Entry("http.lowSpeedTime", "60"),
    Entry("http.sslVerify", "true"),
    Entry("transfer.credentialsInUrl", "die"),
    Entry("protocol.allow", "never"),
)
_SECRET_PROTOCOLS: Final = ("https",)
_OPEN_PROTOCOLS: Final = ("https", "ssh", "file")
_LOCAL_PROTOCOLS: Final = ("file",)


@dataclass(frozen=True, slots=True)
class Closed:
    """Runs git with one closed environment; `place` is an empty directory to run it in."""

    git: GitProcess
    place: Path
    environment: Mapping[str, str] = field(repr=False)

    async def __call__(
        self,
        arguments: Sequence[str],
        *,
        repository: Path | None = None,
        seconds: float,
        stdin: bytes = b"",
    ) -> Result[Completed, GitFailure]:
        """In `repository`, named so that no other is looked for, else in no repository."""
        return await self.git(
            arguments if repository is None else ["--git-dir=.", *arguments],
            directory=os.fspath(repository or self.place),
            environment=self.environment,
            seconds=seconds,
            stdin=stdin,
            isolated=True,
        )


@dataclass(frozen=True, slots=True)
class ClosedCommands:
    """`directory` is ours alone and leaves room for a socket; `parent` our own environment."""

    git: GitProcess
    directory: Path
    parent: Mapping[str, str] = field(repr=False)

    @asynccontextmanager
    async def remote(self, access: RemoteAccess) -> AsyncGenerator[Closed]:
        """For the network: the credential is served while the block runs, to its own repository."""
        identity = parse_remote(access.url)
        entries: list[Entry] = []
        async with AsyncExitStack() as stack:
            place = stack.enter_context(self._place())
            if access.certificate_authority is not None:
                entries.append(_authority(place, access.certificate_authority))
            if access.password is not None and not failed(identity):
                username = access.username or DEFAULT_USERNAME
                served = credential_socket.serve(
                    place, identity.unwrap(), username, access.password
                )
                entries.extend(await stack.enter_async_context(served))
            secret = access.password is not None
            environment = self._environment(
                _SECRET_PROTOCOLS if secret else _OPEN_PROTOCOLS, entries
            )
            agent = self.parent.get("SSH_AUTH_SOCK")
            if agent and not secret:
                environment["SSH_AUTH_SOCK"] = agent
            bundle = self.parent.get(CERTIFICATES)
            if bundle and access.certificate_authority is None:
                environment[CERTIFICATES] = bundle
            yield Closed(self.git, _empty(place), environment)

    @asynccontextmanager
    async def local(self) -> AsyncGenerator[Closed]:
        """For this machine: no network, no credential."""
        with self._place() as place:
            yield Closed(self.git, _empty(place), self._environment(_LOCAL_PROTOCOLS, ()))

    @contextmanager
    def _place(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="git-", dir=self.directory) as place:
            yield Path(place)

    def _environment(self, protocols: Sequence[str], entries: Sequence[Entry]) -> dict[str, str]:
        allowed = (Entry(f"protocol.{name}.allow", "always") for name in protocols)
        block = git_config.serialize((*_SETTINGS, *allowed, *entries))
        # An empty directory may still lie below someone's repository.
        ceiling = {"GIT_CEILING_DIRECTORIES": os.fspath(self.directory)}
        return git_command.closed(self.parent) | block | ceiling


def _empty(place: Path) -> Path:
    empty = place / "empty"
    empty.mkdir()
    return empty


def _authority(place: Path, pem: str) -> Entry:
    file = place / "authority.pem"
    file.write_text(pem, encoding="ascii")
    return Entry("http.sslCAInfo", os.fspath(file))
