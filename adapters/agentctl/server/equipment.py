"""What an instance needs before its agent starts: a directory, sockets, environment, workspace."""

import errno
import os
import shutil
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from adapters.agentctl import wire
from adapters.agentctl.server import agent_environment
from adapters.agentctl.server.agent_environment import AgentEnvironment
from adapters.agentctl.server.instance_sockets import ManagedSockets, OpenSockets
from adapters.agentctl.server.launch_check import LaunchCheck
from adapters.agentctl.server.layer_secrets import register_secrets
from adapters.agentctl.server.life import Life
from adapters.agentctl.server.tool_sockets import OpenTools, Tools
from adapters.agentctl.server.worktrees import Workspace, Workspaces
from domain.execution import Handle
from domain.outcome import Failure, Result, Success, failed
from ports.redactor import Redactor
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Equipment", "Outfitter")


@dataclass(frozen=True, slots=True)
class Equipment:
    environment: AgentEnvironment
    workspace: Workspace
    sockets: OpenSockets | None
    tools: OpenTools


@dataclass(frozen=True, slots=True)
class Outfitter:
    """Equips instances. `host` is the environment of agentctl's own process.

    Every secret that an instance is given is one that `redactor` knows before anything starts.
    """

    workspaces: Workspaces
    sockets: ManagedSockets
    tools: Tools
    check: LaunchCheck
    host: Mapping[str, str]
    redactor: Redactor

    async def equip(
        self,
        handle: Handle,
        asked: wire.Create,
        directory: Path,
        *,
        life: Life,
        undo: AsyncExitStack,
    ) -> Result[Equipment, RuntimeProblem]:
        """Equip one instance.

        `life` closes what ends with the instance, `undo` takes back what a failed launch made.
        """
        register_secrets(self.redactor, asked.layers)
        missing = _missing_program(asked.command[0])
        if missing is not None:
            return Failure(missing)
        try:
            _make(directory, undo)
            sockets = await self._open_sockets(handle, asked, life)
            tools = await self.tools.open(handle)
            life.ends_with(tools.close)
            managed = asked.managed
            authorities = agent_environment.write_authorities(managed, directory) if managed else {}
        except FileExistsError:
            return Failure(RuntimeProblem(RuntimeCode.EXISTS, "the execution's log is here"))
        except OSError as error:
            return Failure(unwritable(error))

        opened = sockets.opened if sockets else None
        composed = agent_environment.compose(asked, self.host, opened, authorities)
        if failed(composed):
            return composed
        environment = composed.unwrap()
        refused = await self.check(managed, environment.variables) if managed else None
        if refused is not None:
            return Failure(refused)
        prepared = await self.workspaces.prepare(asked, environment.variables)
        if failed(prepared):
            return prepared
        workspace = prepared.unwrap()
        undo.push_async_callback(self.workspaces.unmake, workspace, environment.variables)
        return Success(Equipment(environment, workspace, sockets, tools))

    async def _open_sockets(
        self, handle: Handle, asked: wire.Create, life: Life
    ) -> OpenSockets | None:
        if asked.managed is None:
            return None
        sockets = await self.sockets.open(handle, asked.managed.leases)
        life.ends_with(sockets.close)
        return sockets


def _make(directory: Path, undo: AsyncExitStack) -> None:
    directory.mkdir(parents=True, mode=0o700)
    undo.callback(shutil.rmtree, directory, ignore_errors=True)


def unwritable(error: OSError) -> RuntimeProblem:
    """Why agentctl could not write its own files."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return RuntimeProblem(RuntimeCode.DISK_FULL, "no space left for the instance's files")
    detail = f"the instance's files cannot be written: {error.strerror}"
    return RuntimeProblem(RuntimeCode.INVALID, detail)


def _missing_program(program: str) -> RuntimeProblem | None:
    path = Path(program)
    if path.is_absolute() and path.is_file() and os.access(path, os.X_OK):
        return None
    return RuntimeProblem(RuntimeCode.AGENT_MISSING, f"{program} is no program")
