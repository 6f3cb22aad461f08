"""What can be measured of an installation: what it stores, and what its server uses."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.access import NotFound, acts_for_a_person
from domain.execution import ExecutionState
from domain.metrics import Kind, Metric, Sample, of_states
from domain.outcome import Failure, Result, Success
from domain.principal import Principal
from domain.session import SessionState
from domain.tally import Tally
from domain.task import TaskState
from ports.own_process import OwnProcess, Used
from ports.store import Store

__all__ = ("ReadMetrics",)


@dataclass(frozen=True, slots=True)
class ReadMetrics:
    store: Store
    process: OwnProcess
    version: str

    async def __call__(self, principal: Principal) -> Result[Sequence[Metric], NotFound]:
        if not acts_for_a_person(principal):
            return Failure(NotFound("metrics"))
        async with self.store.read() as state:
            tally = await state.tally()
        build = Sample(1, (("version", self.version),))
        return Success([
            Metric("kandev_build_info", Kind.GAUGE, "The version that runs.", (build,)),
            *_stored(tally),
            *_used(self.process.used()),
        ])


def _stored(tally: Tally) -> Sequence[Metric]:
    return [
        of_states("kandev_tasks", "Tasks by state.", TaskState, tally.tasks),
        of_states("kandev_sessions", "Sessions by state.", SessionState, tally.sessions),
        of_states("kandev_executions", "Executions by state.", ExecutionState, tally.executions),
        _gauge("kandev_outbox_events", "Events of tasks that are kept.", tally.outbox),
    ]


def _used(used: Used) -> Sequence[Metric]:
    seconds = "Processor time of the server, user and system."
    total = (Sample(used.cpu_seconds),)
    return [
        Metric("process_cpu_seconds_total", Kind.COUNTER, seconds, total),
        _gauge("process_resident_memory_bytes", "Memory of the server.", used.resident_bytes),
        _gauge("process_open_fds", "Descriptors that the server has open.", used.open_descriptors),
    ]


def _gauge(name: str, told: str, value: float) -> Metric:
    return Metric(name, Kind.GAUGE, told, (Sample(value),))
