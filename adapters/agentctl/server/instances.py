"""All instances of this agentctl: each in a task of its own, owned here and joined at the end."""

import asyncio
import re
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Final, NamedTuple, Self, TypeAlias

import structlog

from adapters.agentctl import wire
from adapters.agentctl.server.hosted import Hosted
from adapters.agentctl.server.instance import Instance
from adapters.agentctl.server.parts import Parts
from domain.execution import ExecutorType, Handle
from domain.outcome import Failure, Result, Success, failed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Instances", "Launch")

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FOLDER: Final = re.compile(r"(?!\.{1,2}$)[^/\0]{0,255}")

_Answer: TypeAlias = "asyncio.Future[Result[wire.Created, RuntimeProblem]]"

_log = structlog.get_logger(__name__)


class Instances:
    """A context manager; leaving it ends every agent and waits for each."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._group = asyncio.TaskGroup()
        self._instances: dict[str, Hosted] = {}
        self._creating: dict[str, Launch] = {}

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop_all()
        await self._group.__aexit__(kind, problem, trace)
        for instance in self._instances.values():
            instance.log.close()

    def adopt(self, remains: Sequence[Hosted]) -> None:
        """Host what an earlier agentctl left, until it is released."""
        self._instances.update((each.handle.execution, each) for each in remains)

    async def create(self, asked: wire.Create) -> Result[wire.Created, RuntimeProblem]:
        """Create an instance. When it fails or the caller gives up, nothing of it is left."""
        begun = self.begin(asked)
        if failed(begun):
            return begun
        launch = begun.unwrap()
        try:
            await launch.until_answered(())
        finally:
            launch.leave()
        return launch.answer()

    def begin(self, asked: wire.Create) -> Result["Launch", RuntimeProblem]:
        """Begin to create an instance, whose launch the caller leaves."""
        refusal = _refusal(asked)
        if refusal is not None:
            return Failure(RuntimeProblem(RuntimeCode.INVALID, refusal))
        name = asked.execution
        if name in self._instances or name in self._creating:
            return Failure(RuntimeProblem(RuntimeCode.EXISTS, f"execution {name} is here"))
        created: _Answer = asyncio.get_running_loop().create_future()
        instance = Instance(self._parts, asked)
        task = self._group.create_task(self._host(instance), name=f"instance {name}")
        launch = Launch(instance, created, task)
        self._creating[name] = launch
        return Success(launch)

    def find(self, handle: Handle) -> Hosted | None:
        """The instance, if all three ids are its own."""
        instance = self._instances.get(handle.execution)
        return instance if instance is not None and instance.handle == handle else None

    async def abandon(self, handle: Handle) -> bool:
        """Give up a launch that is under way and wait until nothing of it is left."""
        launch = self._creating.get(handle.execution)
        if launch is None or launch.instance.handle != handle:
            return False
        _give_up(launch.task)
        await asyncio.wait({launch.task})
        return True

    def all(self) -> Sequence[Hosted]:
        return list(self._instances.values())

    def release(self, instance: Hosted) -> None:
        """Forget one that is over, with its log."""
        self._instances.pop(instance.handle.execution, None)
        instance.release()

    async def stop_all(self) -> None:
        """End every agent, at once, and give up every launch."""
        for launch in self._creating.values():
            _give_up(launch.task)
        async with asyncio.TaskGroup() as group:
            for instance in self.all():
                group.create_task(instance.stop())

    def _answer(self, instance: Instance, outcome: Result[wire.Created, RuntimeProblem]) -> None:
        name = instance.handle.execution
        if not failed(outcome):
            self._instances[name] = instance
        self._creating.pop(name).created.set_result(outcome)

    async def _host(self, instance: Instance) -> None:
        name = instance.handle.execution
        try:
            await instance.live(self._answer)
        except asyncio.CancelledError:
            if self._instances.pop(name, None) is not None:
                instance.release()
            raise
        except Exception:  # noqa: BLE001 -- one instance's bug must not end the others
            _log.exception("instance_failed", execution=name)
        finally:
            self._creating.pop(name, None)


class Launch(NamedTuple):
    """The launch of one instance, under way or answered."""

    instance: Instance
    created: _Answer
    task: "asyncio.Task[None]"

    async def until_answered(self, others: Sequence["asyncio.Future[Any]"]) -> None:
        """Until it is answered or given up, or one of the others is done."""
        first: set[asyncio.Future[Any]] = {self.created, self.task, *others}  # of several kinds
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)

    @property
    def answered(self) -> bool:
        """Whether nothing of the launch is to come."""
        return self.created.done() or self.task.done()

    def answer(self) -> Result[wire.Created, RuntimeProblem]:
        """What it was answered with; one that was given up has no other answer."""
        if not self.created.done():
            return Failure(RuntimeProblem(RuntimeCode.AGENT_DIED, "the launch was stopped"))
        return self.created.result()

    def leave(self) -> None:
        """Nobody waits for it any more: one that is not answered is given up."""
        if not self.answered:
            _give_up(self.task)


def _give_up(task: "asyncio.Task[None]") -> None:
    """Once: a second cancellation would break off what the first has to undo."""
    if not task.cancelling():
        task.cancel()


def _refusal(asked: wire.Create) -> str | None:
    """Why a request cannot be meant; names become directories, so they are checked here."""
    if not all(_NAME.fullmatch(name) for name in (asked.execution, asked.task, asked.session)):
        return "an id has 1 to 64 letters, digits, `_` and `-`"
    if asked.executor not in set(ExecutorType):
        return f"{asked.executor} is no executor"
    if not asked.command or "\0" in "".join(asked.command):
        return "the command is empty or holds a NUL"
    if not asked.workspace.startswith("/"):
        return "the workspace is an absolute path"
    folders = [checkout.folder for checkout in asked.checkouts]
    if len(set(folders)) != len(folders) or not all(map(_FOLDER.fullmatch, folders)):
        return "each repository has a folder of its own, one name"
    if not all(checkout.source.startswith("/") for checkout in asked.checkouts):
        return "the source of a checkout is an absolute path"
    return None
