"""The managed tools against an agentctl whose control plane is a stand-in that answers at once.

git, the helper and the socket are real; what is left out is the relay and the redemption.
"""

import asyncio
import os
import shlex
import shutil
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.agentctl.server.descent import Families
from adapters.agentctl.server.git_socket import Surroundings
from adapters.agentctl.server.managed_sockets import GitSockets
from adapters.agentctl.server.tools.directory import ManagedTools
from adapters.agentctl.wire import CredentialAnswer, CredentialAsk, Lease
from adapters.git.process import LocalGit
from adapters.process.spawn import LocalProcesses
from adapters.redactor.registry import Registry
from bench.credential_stub import question, stub, timer
from bench.harness import Benchmark, Pair
from bench.stage import APP, folder
from domain import git_config, managed_git
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId
from domain.managed_git import ManagedHost
from domain.redaction import Redactor

__all__ = ("BENCHMARKS",)

HOST: Final = "forge.example"
_GH: Final = "#!/bin/sh\nexit 0\n"
_OLD_GIT: Final = '#!/bin/sh\n[ "$1" != credential-cache ] || exit 128\nexec {git} "$@"\n'


@dataclass(frozen=True, slots=True)
class Instance:
    """The environment of a managed agent, and the words that time a command in it."""

    root: Path
    environment: Mapping[str, str]
    clock: Sequence[str]

    async def time(self, *command: str, **more: str) -> float:
        child = await asyncio.create_subprocess_exec(
            *self.clock,
            *command,
            env={**self.environment, **more},
            cwd=self.root,
            stdout=asyncio.subprocess.PIPE,
        )
        printed, _ = await child.communicate()
        assert child.returncode == 0, command
        return float(printed)

    async def get(self) -> float:
        return await self.time("git", "credential", "fill")


async def _answer(_: ExecutionId, __: CredentialAsk) -> CredentialAnswer:
    return CredentialAnswer("u", "p", None)


@asynccontextmanager
async def _instance(root: Path, search: str) -> AsyncIterator[Instance]:
    """`search` is where agentctl looks for git when it makes its tools."""
    runtime = root / "run"
    runtime.mkdir(mode=0o700)
    registry = Registry(Redactor())
    tools = ManagedTools(root / "tools", LocalGit(LocalProcesses(None), registry), search)
    around = Surroundings(_answer, Families(), registry, time.monotonic)
    lease = Lease("r1", HOST, f"/{APP}", "kdl_bench", "kdc_bench")
    async with GitSockets(runtime, tools, around) as sockets:
        handle = Handle(ExecutionId("e"), TaskId("t"), SessionId("s"))
        opened = await sockets.open(handle, [lease])
        entries = managed_git.entries([ManagedHost(HOST)], opened.opened.helper)
        environment = {
            "HOME": str(root),
            "GIT_CONFIG_NOSYSTEM": "1",
            **git_config.serialize(entries),
            **managed_git.variables(),
            **opened.opened.variables,
            "PATH": f"{opened.opened.tools}:{os.environ['PATH']}",
        }
        try:
            yield Instance(root, environment, timer(root, question(HOST, APP)))
        finally:
            await opened.close()


@asynccontextmanager
async def _beside_stub(root: Path, search: str) -> AsyncIterator[Pair]:
    with stub(root) as helper:
        async with _instance(root, search) as instance:

            async def reference() -> float:
                setting = f"credential.helper={helper}"
                words = ("git", "-c", setting, "credential", "fill")
                return await instance.time(*words, GIT_CONFIG_COUNT="0")

            yield Pair(instance.get, reference)


@asynccontextmanager
async def _socket() -> AsyncIterator[Pair]:
    with folder() as root:
        async with _beside_stub(root, os.environ["PATH"]) as pair:
            yield pair


@asynccontextmanager
async def _fallback() -> AsyncIterator[Pair]:
    with folder() as root:
        git = root / "old" / "git"
        git.parent.mkdir()
        git.write_text(_OLD_GIT.format(git=shlex.quote(shutil.which("git") or "git")))
        git.chmod(0o700)
        async with _beside_stub(root, f"{git.parent}:{os.environ['PATH']}") as pair:
            yield pair


@asynccontextmanager
async def _approve() -> AsyncIterator[Pair]:
    with folder() as root:
        async with _instance(root, os.environ["PATH"]) as instance:
            told = question(HOST, APP).rstrip() + "\nusername=u\npassword=p\n\n"
            approving = Instance(root, instance.environment, timer(root, told))

            async def approve() -> float:
                return await approving.time("git", "credential", "approve")

            yield Pair(approve, instance.get)


@asynccontextmanager
async def _gh() -> AsyncIterator[Pair]:
    """What the shim adds to a `gh` that does nothing, beside one `get`."""
    with folder() as root:
        gh = root / "bin" / "gh"
        gh.parent.mkdir()
        gh.write_text(_GH)
        gh.chmod(0o700)
        async with _instance(root, os.environ["PATH"]) as instance:
            tools = instance.environment["KANDEV_TOOLS_DIR"]
            path = f"{tools}:{gh.parent}:{os.environ['PATH']}"
            named = ("api", "-R", f"{HOST}/{APP}")

            async def added() -> float:
                through = await instance.time(f"{tools}/gh", *named, PATH=path)
                return through - await instance.time(str(gh), *named, PATH=path)

            yield Pair(added, instance.get)


BENCHMARKS: Final = (
    Benchmark("credential.socket", 1.7, _socket, rounds=20),
    Benchmark("credential.fallback", 5.5, _fallback, rounds=10),
    Benchmark("credential.approve", 0.95, _approve, rounds=20),
    Benchmark("credential.gh", 1.2, _gh, rounds=15),
)
