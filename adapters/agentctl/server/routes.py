"""The routes of agentctl. A handler finds its instance by all three ids and calls it."""

import asyncio
import os
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Protocol, TypeVar

from litestar import Request, WebSocket, delete, get, post, websocket
from litestar.di import NamedDependency
from litestar.params import FromPath, HeaderParameter, JSONBody, QueryParameter
from litestar.response import Stream
from litestar.types import Receive

from adapters.agentctl import wire
from adapters.agentctl.server.bundle_shelf import BundleShelf
from adapters.agentctl.server.checkout_git import CheckoutGit
from adapters.agentctl.server.door import Handshakes
from adapters.agentctl.server.event_log import BeyondError, TrimmedError
from adapters.agentctl.server.git_explanation import Known
from adapters.agentctl.server.hosted import Hosted
from adapters.agentctl.server.instances import Instances
from adapters.agentctl.server.refusals import RefusedError, granted
from adapters.agentctl.server.removal import Removal
from domain.credential_doctor import Diagnosis, Examined
from domain.execution import Handle
from domain.git_configuration import GitConfiguration
from domain.identity import ExecutionId, SessionId, TaskId
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("CAPABILITIES", "ROUTES", "Core", "RelayHolder", "Session", "Task", "checkout_of")

CAPABILITIES: Final = [
    "acp",
    "bundles",
    "background-processes",
    "credential-doctor",
    "events",
    "files",
    "git",
    "git-configuration",
    "launch-events",
    "relay",
    "terminals",
    "worktree-removal",
    "worktrees",
]
"""What this agentctl can do, so that an older or newer control plane knows."""

Task = Annotated[str, HeaderParameter(name=wire.TASK_HEADER)]
Session = Annotated[str, HeaderParameter(name=wire.SESSION_HEADER)]
Value = TypeVar("Value")


class RelayHolder(Protocol):
    """The end of the relay that agentctl holds."""

    async def hold(self, socket: WebSocket[Any, Any, Any], epoch: int) -> None:
        """Serve one connection until it closes; a higher epoch takes over."""
        ...


@dataclass(frozen=True, slots=True)
class Core:
    """What the handlers call. `started` is the start time of this process (proc(5), field 22)."""

    instances: Instances
    handshakes: Handshakes
    relay: RelayHolder
    version: str
    started: int
    removal: Removal
    bundles: BundleShelf
    git: CheckoutGit

    def unused(self, task: str) -> None:
        """Refuse what may only be done while no agent works on the task."""
        if any(each.alive and each.handle.task == task for each in self.instances.all()):
            detail = "an agent works on the task"
            raise RefusedError(RuntimeProblem(RuntimeCode.BUSY, detail))

    def find(self, execution: str, task: str, session: str) -> Hosted:
        """The instance of all three ids; any other combination is like none at all."""
        handle = Handle(ExecutionId(execution), TaskId(task), SessionId(session))
        instance = self.instances.find(handle)
        if instance is None:
            raise RefusedError(RuntimeProblem(RuntimeCode.NO_INSTANCE, "there is no such instance"))
        return instance


def checkout_of(known: Known, folder: str | None) -> str:
    """The directory of the checkout in this folder, or of the only one where none is named."""
    names = list(known.checkouts)
    named = names[0] if folder is None and len(names) == 1 else folder
    directory = known.checkouts.get(named or "")
    if directory is None:
        detail = f"the session works in {', '.join(each or 'one repository' for each in names)}"
        raise RefusedError(RuntimeProblem(RuntimeCode.NO_REPOSITORY, detail))
    return directory


@get("/health")
async def health(core: NamedDependency[Core]) -> wire.Health:
    return wire.Health("ok", wire.PROTOCOL, core.version, os.getpid(), core.started, CAPABILITIES)


@post("/api/v1/handshake", status_code=200)
async def handshake(data: JSONBody[wire.Hello], core: NamedDependency[Core]) -> wire.Welcome:
    if data.protocol != wire.PROTOCOL:
        detail = f"this agentctl speaks version {wire.PROTOCOL}, not {data.protocol}"
        raise RefusedError(RuntimeProblem(RuntimeCode.MISMATCH, detail))
    welcome = core.handshakes.welcome(data)
    if welcome is None:
        raise RefusedError(RuntimeProblem(RuntimeCode.MISMATCH, "no handshake is possible"))
    return welcome


@websocket("/api/v1/relay")
async def relay(
    socket: WebSocket[Any, Any, Any],
    core: NamedDependency[Core],
    epoch: Annotated[int, QueryParameter(ge=0)],
) -> None:
    await core.relay.hold(socket, epoch)


@post("/api/v1/worktrees/removal", status_code=200)
async def remove_worktrees(
    data: JSONBody[wire.Worktrees], core: NamedDependency[Core]
) -> list[wire.Kept]:
    core.unused(data.task)
    await core.bundles.clear(data.task)
    return granted(await core.removal.remove(data))


@post("/api/v1/worktrees/restoration", status_code=200)
async def restore_worktrees(
    data: JSONBody[wire.Worktrees], core: NamedDependency[Core]
) -> list[wire.Kept]:
    core.unused(data.task)
    return granted(await core.removal.restore(data))


@post("/api/v1/instances", status_code=201)
async def create(
    data: JSONBody[wire.Create], request: Request[Any, Any, Any], core: NamedDependency[Core]
) -> wire.Created:
    return granted(await _while_asked(request.receive, core.instances.create(data)))


@get("/api/v1/instances")
async def instances(core: NamedDependency[Core]) -> list[wire.Instance]:
    return [
        wire.Instance(
            each.handle.execution,
            each.handle.task,
            each.handle.session,
            each.alive,
            each.turn_generation,
            each.log.last,
        )
        for each in core.instances.all()
    ]


@delete("/api/v1/instances/{execution:str}")
async def stop(
    execution: FromPath[str], task: Task, session: Session, core: NamedDependency[Core]
) -> None:
    handle = Handle(ExecutionId(execution), TaskId(task), SessionId(session))
    if not await core.instances.abandon(handle):
        await core.find(execution, task, session).stop()


@delete("/api/v1/instances/{execution:str}/log")
async def release(
    execution: FromPath[str], task: Task, session: Session, core: NamedDependency[Core]
) -> None:
    handle = Handle(ExecutionId(execution), TaskId(task), SessionId(session))
    instance = core.instances.find(handle)
    if instance is None:
        return
    if not instance.over:
        raise RefusedError(RuntimeProblem(RuntimeCode.BUSY, "the agent has not ended"))
    core.instances.release(instance)


@post("/api/v1/instances/{execution:str}/prompt", status_code=202)
async def prompt(
    execution: FromPath[str],
    task: Task,
    session: Session,
    data: JSONBody[wire.Prompt],
    core: NamedDependency[Core],
) -> None:
    granted(core.find(execution, task, session).prompt(data.generation, data.text))


@post("/api/v1/instances/{execution:str}/cancel", status_code=202)
async def cancel(
    execution: FromPath[str], task: Task, session: Session, core: NamedDependency[Core]
) -> None:
    core.find(execution, task, session).cancel()


@post("/api/v1/instances/{execution:str}/permissions/{request_id:str}", status_code=204)
async def answer(
    execution: FromPath[str],
    request_id: FromPath[str],
    task: Task,
    session: Session,
    data: JSONBody[wire.Answer],
    core: NamedDependency[Core],
) -> None:
    granted(core.find(execution, task, session).answer(request_id, data.option))


@get("/api/v1/instances/{execution:str}/events")
async def events(
    execution: FromPath[str],
    task: Task,
    session: Session,
    core: NamedDependency[Core],
    after: Annotated[int, QueryParameter(ge=0)] = 0,
) -> Stream:
    instance = core.find(execution, task, session)
    try:
        instance.log.check(after)
    except TrimmedError as trimmed:
        detail = f"the first event that is still here is {trimmed.first}"
        raise RefusedError(RuntimeProblem(RuntimeCode.INVALID, detail)) from None
    except BeyondError as beyond:
        detail = f"the newest event is {beyond.last}"
        raise RefusedError(RuntimeProblem(RuntimeCode.EVENTS_BEYOND, detail)) from None
    return Stream(instance.log.follow(after), media_type="application/x-ndjson")


@post("/api/v1/instances/{execution:str}/ack", status_code=204)
async def acknowledge(
    execution: FromPath[str],
    task: Task,
    session: Session,
    data: JSONBody[wire.Acknowledge],
    core: NamedDependency[Core],
) -> None:
    core.find(execution, task, session).acknowledge(data.through)


@get("/api/v1/instances/{execution:str}/git-configuration")
async def git_configuration(
    execution: FromPath[str], task: Task, session: Session, core: NamedDependency[Core]
) -> GitConfiguration:
    return granted(await core.find(execution, task, session).git_configuration())


@post("/api/v1/instances/{execution:str}/credential-doctor", status_code=200)
async def examine_credentials(
    execution: FromPath[str],
    task: Task,
    session: Session,
    data: JSONBody[list[Examined]],
    core: NamedDependency[Core],
) -> list[Diagnosis]:
    return list(granted(await core.find(execution, task, session).examine_credentials(data)))


async def _while_asked(receive: Receive, call: Awaitable[Value]) -> Value:
    """Do it for as long as the client waits for it; one that leaves has given it up."""

    async def do() -> Value:
        return await call

    async with asyncio.TaskGroup() as group:
        doing = group.create_task(do())
        leaving = group.create_task(_until_gone(receive))
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        doing.cancel()
    if doing.cancelled():
        raise RefusedError(RuntimeProblem(RuntimeCode.INVALID, "the client has left"))
    return doing.result()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


ROUTES: Final = (
    health,
    handshake,
    relay,
    remove_worktrees,
    restore_worktrees,
    create,
    instances,
    stop,
    release,
    prompt,
    cancel,
    answer,
    events,
    acknowledge,
    git_configuration,
    examine_credentials,
)
