"""Cleanup scripts of worktrees that are about to be removed.

They run as the agents of the task did: in an environment that the same function composes, with
sockets of their own under the managed policy, on which nothing is lent any more. No failure of
theirs keeps a worktree.
"""

import shutil
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import structlog

from adapters.agentctl import wire
from adapters.agentctl.server import agent_environment, record, worktree_files
from adapters.agentctl.server.instance_sockets import ManagedSockets
from adapters.agentctl.server.layer_secrets import register_secrets
from adapters.agentctl.server.record import Record
from adapters.agentctl.server.scripts import Kind, Scripts, Where, sentence
from domain import script
from domain.event import Json
from domain.execution import Handle
from domain.identity import ExecutionId, SessionId, TaskId
from domain.outcome import failed
from ports.redactor import Redactor

__all__ = ("Clean", "Cleanups")

_log = structlog.get_logger(__name__)

_PREFIX: Final = "cleanup-"


@dataclass(frozen=True, slots=True)
class Clean:
    """Cleans the worktrees of one task; without an environment there is nothing to clean."""

    scripts: Scripts
    workspace: str
    environment: Mapping[str, str] | None = field(default=None, repr=False)

    async def __call__(self, checkout: wire.Checkout, path: Path) -> None:
        wanted = checkout.scripts
        if self.environment is None or wanted is None or script.is_blank(wanted.cleanup):
            return
        if worktree_files.misplaced(path, Path(checkout.source)) is not None:
            return
        where = Where(checkout, str(path), self.workspace, self.environment)
        ran = await self.scripts(Kind.CLEANUP, where, _unheard)
        if ran.succeeded:
            _log.info("cleanup_script_completed", repository=wanted.name)
        else:
            why = sentence(Kind.CLEANUP, wanted.name, ran)
            _log.warning("cleanup_script_failed", reason=why, output=ran.output)


@dataclass(frozen=True, slots=True)
class Cleanups:
    """`directory` is that of the instances; `host` the environment of agentctl's own process."""

    scripts: Scripts
    sockets: ManagedSockets
    host: Mapping[str, str]
    directory: Path
    identity: tuple[int, int]
    redactor: Redactor

    @asynccontextmanager
    async def ready(self, asked: wire.Worktrees) -> AsyncGenerator[Clean]:
        """What cleans the worktrees of the task, as long as the context lasts."""
        async with AsyncExitStack() as life:
            environment = None
            if asked.cleanup is not None:
                environment = await self._environment(asked, asked.cleanup, life)
            yield Clean(self.scripts, _workspace(asked), environment)

    async def _environment(
        self, asked: wire.Worktrees, cleanup: wire.Cleanup, life: AsyncExitStack
    ) -> Mapping[str, str] | None:
        """None where it cannot be had: then no script runs, rather than in another one."""
        register_secrets(self.redactor, cleanup.layers)
        managed = wire.Managed(cleanup.hosts, []) if cleanup.hosts else None
        plain = _create(asked, cleanup, managed)
        handle = Handle(ExecutionId(plain.execution), TaskId(plain.task), SessionId(plain.session))
        directory = self.directory / f"{_PREFIX}{plain.execution}"
        try:
            directory.mkdir(parents=True, mode=0o700)
            life.callback(shutil.rmtree, directory, ignore_errors=True)
            known = Record(plain.execution, plain.task, plain.session, self.identity)
            record.write(directory, known)
            opened, authorities = None, {}
            if managed is not None:
                sockets = await self.sockets.open(handle, ())
                life.push_async_callback(sockets.close)
                opened = sockets.opened
                authorities = agent_environment.write_authorities(managed, directory)
        except OSError as error:
            _log.warning("cleanup_impossible", reason=error.strerror)
            return None
        composed = agent_environment.compose(plain, self.host, opened, authorities)
        if failed(composed):
            _log.warning("cleanup_impossible", reason=composed.failure().detail)
            return None
        return composed.unwrap().variables


def _workspace(asked: wire.Worktrees) -> str:
    """Where agents of the task start: in its one worktree, or above its several."""
    alone = len(asked.checkouts) == 1 and not asked.several
    return str(Path(asked.workspace) / asked.checkouts[0].folder) if alone else asked.workspace


def _create(
    asked: wire.Worktrees, cleanup: wire.Cleanup, managed: wire.Managed | None
) -> wire.Create:
    """An instance that is only composed an environment for."""
    return wire.Create(
        execution=cleanup.execution,
        task=asked.task,
        session=cleanup.session,
        agent="",
        command=[],
        hard_stop=False,
        executor="",
        workspace=asked.workspace,
        checkouts=asked.checkouts,
        layers=cleanup.layers,
        managed=managed,
        removes=cleanup.removes,
        acp_session=None,
        approve_automatically=False,
    )


def _unheard(_: Json) -> None:
    """The log of the task's last execution has ended: nobody reads on."""
