"""The control plane's runtime: agents behind agentctl, over its socket."""

from collections.abc import AsyncIterator, Sequence
from http import HTTPStatus
from typing import Final, Protocol
from urllib.parse import quote

import httpx2
import msgspec
import structlog
from typing_extensions import override

from adapters.agentctl import wire
from adapters.agentctl.connection import AgentctlConnection
from adapters.agentctl.event_lines import batches
from adapters.agentctl.instance_call import Present, call, decoded, named, path_of
from adapters.agentctl.launch_call import plain_launch, told_launch
from domain.credential_doctor import Diagnosis, Examined
from domain.environment import Layer
from domain.event import ExecutionEvent
from domain.execution import Handle
from domain.git_configuration import GitConfiguration
from domain.identity import ExecutionId, SessionId, TaskId
from domain.managed_git import ManagedHost
from domain.mcp_server import GivenMcpServer
from domain.outcome import Result, Success, failed
from domain.script import CLEANUP_TIMEOUT, SETUP_TIMEOUT, FailurePolicy, is_blank
from ports.runtime import (
    Checkout,
    Cleanup,
    EventsBeyondError,
    Heard,
    InstanceStatus,
    Kept,
    Launched,
    LaunchSpec,
    ManagedAccess,
    Runtime,
    RuntimeProblem,
    Scripts,
    Worktrees,
)

__all__ = ("AgentctlRuntime", "Keeper", "create")

LAUNCH_SECONDS: Final = 900.0
"""A worktree of a large repository, and an agent that takes the time it is allowed."""

_instances = msgspec.json.Decoder(list[wire.Instance])
_kept = msgspec.json.Decoder(list[Kept])
_diagnoses = msgspec.json.Decoder(list[Diagnosis])
_configuration = msgspec.json.Decoder(GitConfiguration)
log = structlog.get_logger()

_encode = msgspec.json.Encoder().encode


class Keeper(Present, Protocol):
    """Keeps agentctl."""

    async def ensure(self) -> Result[AgentctlConnection, RuntimeProblem]:
        """The agentctl of this machine, started if none runs."""
        ...


class AgentctlRuntime(Runtime):
    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    @override
    async def launch(
        self, spec: LaunchSpec, heard: Heard | None = None
    ) -> Result[Launched, RuntimeProblem]:
        ensured = await self._keeper.ensure()
        if failed(ensured):
            return ensured
        seconds = LAUNCH_SECONDS + SETUP_TIMEOUT.total_seconds() * len(spec.checkouts)
        content = _encode(create(spec))
        scripts = any(each.scripts and not is_blank(each.scripts.setup) for each in spec.checkouts)
        if heard is not None and scripts:
            created = await told_launch(ensured.unwrap(), content, seconds, heard)
        else:
            created = await plain_launch(ensured.unwrap(), content, seconds)
        named = spec.handle
        if failed(created):
            code = created.failure().code.value
            log.warning("agent_not_started", task=named.task, session=named.session, code=code)
            return created
        log.info("agent_started", task=named.task, session=named.session, execution=named.execution)
        return created.map(_launched)

    @override
    async def prompt(
        self, handle: Handle, generation: int, text: str
    ) -> Result[None, RuntimeProblem]:
        return await self._tell(handle, "POST", "/prompt", wire.Prompt(generation, text))

    @override
    async def cancel(self, handle: Handle) -> Result[None, RuntimeProblem]:
        return await self._tell(handle, "POST", "/cancel", None)

    @override
    async def answer(
        self, handle: Handle, request: str, option: str | None
    ) -> Result[None, RuntimeProblem]:
        return await self._tell(
            handle, "POST", f"/permissions/{quote(request, safe='')}", wire.Answer(option)
        )

    @override
    async def stop(self, handle: Handle) -> Result[None, RuntimeProblem]:
        return await self._tell(handle, "DELETE", "", None)

    @override
    async def release(self, handle: Handle) -> None:
        await self._tell(handle, "DELETE", "/log", None)

    @override
    async def acknowledge(self, handle: Handle, through: int) -> None:
        await self._tell(handle, "POST", "/ack", wire.Acknowledge(through))

    @override
    async def events(self, handle: Handle, after: int) -> AsyncIterator[Sequence[ExecutionEvent]]:
        connection = self._keeper.present()
        if connection is None:
            raise ConnectionError("no agentctl runs")
        path = f"{path_of(handle)}/events?after={after}"
        async with connection.stream(path, named(handle)) as answer:
            if answer.status_code == HTTPStatus.NOT_FOUND:
                return
            if answer.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise EventsBeyondError
            if answer.status_code >= HTTPStatus.BAD_REQUEST:
                raise ConnectionError(f"agentctl answered {answer.status_code}")
            async for batch in batches(answer):
                yield batch

    @override
    async def attend(self) -> Result[None, RuntimeProblem]:
        ensured = await self._keeper.ensure()
        return ensured.map(lambda _: None)

    @override
    async def instances(self) -> Result[Sequence[InstanceStatus], RuntimeProblem]:
        connection = self._keeper.present()
        if connection is None:
            return Success(())
        answer = await connection.request("GET", "/api/v1/instances")
        if failed(answer):
            return answer
        return decoded(answer.unwrap(), _instances).map(_statuses)

    @override
    async def git_configuration(self, handle: Handle) -> Result[GitConfiguration, RuntimeProblem]:
        answer = await self._ask(handle, "GET", "/git-configuration", None)
        if failed(answer):
            return answer
        return decoded(answer.unwrap(), _configuration)

    @override
    async def examine_credentials(
        self, handle: Handle, examined: Sequence[Examined]
    ) -> Result[Sequence[Diagnosis], RuntimeProblem]:
        content = _encode(examined)
        answer = await self._ask_with(handle, "POST", "/credential-doctor", content)
        if failed(answer):
            return answer
        return decoded(answer.unwrap(), _diagnoses)

    @override
    async def remove_workspace(
        self, worktrees: Worktrees
    ) -> Result[Sequence[Kept], RuntimeProblem]:
        return await self._about(worktrees, "removal")

    @override
    async def restore_workspace(
        self, worktrees: Worktrees
    ) -> Result[Sequence[Kept], RuntimeProblem]:
        return await self._about(worktrees, "restoration")

    async def _about(
        self, worktrees: Worktrees, what: str
    ) -> Result[Sequence[Kept], RuntimeProblem]:
        ensured = await self._keeper.ensure()
        if failed(ensured):
            return ensured
        body = wire.Worktrees(
            worktrees.task,
            worktrees.workspace,
            [_checkout(each) for each in worktrees.checkouts],
            _cleanup(worktrees.cleanup),
            several=worktrees.several,
        )
        seconds = LAUNCH_SECONDS + CLEANUP_TIMEOUT.total_seconds() * len(worktrees.checkouts)
        answer = await ensured.unwrap().request(
            "POST", f"/api/v1/worktrees/{what}", content=_encode(body), seconds=seconds
        )
        if failed(answer):
            return answer
        return decoded(answer.unwrap(), _kept)

    async def _tell(
        self, handle: Handle, method: str, rest: str, body: msgspec.Struct | None
    ) -> Result[None, RuntimeProblem]:
        answer = await self._ask(handle, method, rest, body)
        return answer if failed(answer) else Success(None)

    async def _ask(
        self, handle: Handle, method: str, rest: str, body: msgspec.Struct | None
    ) -> Result[httpx2.Response, RuntimeProblem]:
        content = _encode(body) if body is not None else None
        return await self._ask_with(handle, method, rest, content)

    async def _ask_with(
        self, handle: Handle, method: str, rest: str, content: bytes | None
    ) -> Result[httpx2.Response, RuntimeProblem]:
        return await call(self._keeper, handle, method, rest, content)


def _launched(created: wire.Created) -> Launched:
    return Launched(
        created.acp_session,
        created.resumed,
        created.lost_context,
        tuple(created.removed),
        created.capabilities,
    )


def _statuses(listed: Sequence[wire.Instance]) -> Sequence[InstanceStatus]:
    return [
        InstanceStatus(
            Handle(ExecutionId(each.execution), TaskId(each.task), SessionId(each.session)),
            each.alive,
            each.turn_generation,
            each.last,
        )
        for each in listed
    ]


def create(spec: LaunchSpec) -> wire.Create:
    """The order as it travels."""
    return wire.Create(
        execution=spec.handle.execution,
        task=spec.handle.task,
        session=spec.handle.session,
        agent=spec.agent.name,
        command=[spec.program, *spec.agent.command[1:]],
        hard_stop=spec.agent.hard_stop,
        executor=spec.executor.value,
        workspace=spec.workspace,
        checkouts=[_checkout(each) for each in spec.checkouts],
        layers=_layers(spec.layers),
        managed=_managed(spec.managed),
        removes=sorted(spec.removes),
        acp_session=spec.acp_session,
        approve_automatically=spec.approve_automatically,
        mcp_servers=[_server(each) for each in spec.mcp_servers],
        model=spec.model,
        system_prompt=spec.system_prompt,
    )


def _server(server: GivenMcpServer) -> wire.McpServer:
    return wire.McpServer(
        server.name,
        server.transport.value,
        server.command,
        list(server.arguments),
        dict(server.environment),
        server.url,
        dict(server.headers),
    )


def _layers(layers: Sequence[Layer]) -> list[wire.Layer]:
    return [
        wire.Layer(each.name, dict(each.variables), sorted(each.secrets), sorted(each.removes))
        for each in layers
    ]


def _hosts(hosts: Sequence[ManagedHost]) -> list[wire.Host]:
    return [wire.Host(each.host, each.certificate_authority) for each in hosts]


def _cleanup(cleanup: Cleanup | None) -> wire.Cleanup | None:
    if cleanup is None:
        return None
    return wire.Cleanup(
        cleanup.session,
        cleanup.execution,
        _layers(cleanup.layers),
        _hosts(cleanup.hosts),
        sorted(cleanup.removes),
    )


def _checkout(each: Checkout) -> wire.Checkout:
    copies = [wire.Copy(entry.pattern, entry.symlink) for entry in each.copies]
    return wire.Checkout(
        each.repository,
        each.source,
        each.folder,
        each.branch,
        each.base,
        copies,
        _scripts(each.scripts),
        list(each.fallbacks),
        each.existing,
    )


def _scripts(scripts: Scripts | None) -> wire.Scripts | None:
    if scripts is None:
        return None
    blocks = scripts.on_setup_failure is FailurePolicy.BLOCK
    return wire.Scripts(scripts.name, scripts.branch, scripts.setup, scripts.cleanup, blocks)


def _managed(access: ManagedAccess | None) -> wire.Managed | None:
    if access is None:
        return None
    return wire.Managed(
        accept_netrc=access.accepts_netrc,
        hosts=_hosts(access.hosts),
        leases=[
            wire.Lease(
                each.repository,
                each.identity.host,
                each.identity.path,
                each.token.reveal(),
                each.capability.reveal(),
            )
            for each in access.leases
        ],
    )
