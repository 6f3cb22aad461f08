"""The steps of a launch, a turn and a stop that a process can be killed at: who, when, where."""

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from typing_extensions import override

from tests.faults.mortal import Fault

__all__ = ("CASES", "Case")


class Case(NamedTuple):
    """`scene` is what goes on meanwhile: see `tests/faults/test_faults.py`."""

    scene: str
    fault: Fault

    @override
    def __str__(self) -> str:
        step = self.fault.step.rpartition(":")[2]
        return f"{self.fault.program}-{self.scene}-{self.fault.when}-{step}"


_BOTH: Final = ("before", "after")

_Steps: TypeAlias = dict[str, dict[str, tuple[str, ...]]]

_CONTROL: Final[_Steps] = {
    "launch": {
        "pipelines.start_execution:StartExecution._admit": _BOTH,
        "adapters.agentctl.keeper:AgentctlKeeper._start": ("before",),
        "adapters.agentctl.keeper:AgentctlKeeper._attach": _BOTH,
        "adapters.agentctl.runtime:AgentctlRuntime.launch": ("after",),
        "pipelines.start_execution:StartExecution._write": ("after",),
    },
    "turn": {
        "adapters.agentctl.runtime:AgentctlRuntime.prompt": _BOTH,
        "pipelines.follow_execution:FollowExecution.record": _BOTH,
        "adapters.agentctl.runtime:AgentctlRuntime.acknowledge": ("after",),
    },
    "ending": {
        "pipelines.follow_execution:FollowExecution._end_turn": _BOTH,
        "adapters.sqlite.pool:Pool.commit": _BOTH,
    },
    "queue": {
        "pipelines.deliver_queued:DeliverQueued.__call__": _BOTH,
        "pipelines.deliver_queued:DeliverQueued._begin": ("after",),
        "adapters.agentctl.runtime:AgentctlRuntime.prompt": ("after",),
    },
    "stop": {
        "adapters.agentctl.runtime:AgentctlRuntime.stop": _BOTH,
        "pipelines.follow_execution:FollowExecution.conclude": _BOTH,
        "adapters.agentctl.runtime:AgentctlRuntime.release": _BOTH,
    },
}

_AGENTCTL: Final[_Steps] = {
    "launch": {
        "adapters.agentctl.server.equipment:Outfitter.equip": _BOTH,
        "adapters.agentctl.server.worktrees:Workspaces._worktree": ("after",),
        "adapters.agentctl.server.agent_process:AgentProcess.start": ("after",),
        "adapters.agentctl.server.acp.conversation:AcpConversation.initialize": ("after",),
        "adapters.agentctl.server.acp.conversation:AcpConversation.begin": ("after",),
    },
    "turn": {
        "adapters.agentctl.server.turns:Turns.begin": _BOTH,
        "adapters.agentctl.server.event_log:EventLog._write": _BOTH,
    },
    "ending": {
        "adapters.agentctl.server.hearing:Hearing.end_turn": _BOTH,
        "adapters.agentctl.server.event_log:EventLog.acknowledge": _BOTH,
    },
    "stop": {
        "adapters.agentctl.server.instance:Instance.stop": ("before",),
        "adapters.agentctl.server.agent_process:AgentProcess.end": _BOTH,
        "adapters.agentctl.server.event_log:EventLog.end": _BOTH,
        "adapters.agentctl.server.instance:Instance.release": _BOTH,
    },
}

_AGENT: Final[_Steps] = {
    "launch": {
        "adapters.scripted_agent.__main__:Agent._initialize": _BOTH,
        "adapters.scripted_agent.__main__:Agent._open": _BOTH,
    },
    "turn": {
        "adapters.scripted_agent.__main__:Agent._begin": _BOTH,
        "adapters.scripted_agent.play:Player.update": ("after",),
    },
    "ending": {
        "adapters.scripted_agent.peer:Peer.respond": _BOTH,
    },
    "cancel": {
        "adapters.scripted_agent.__main__:Agent._cancel": _BOTH,
    },
}


def _cases() -> Iterator[Case]:
    for program, scenes in (("kandev", _CONTROL), ("agentctl", _AGENTCTL), ("agent", _AGENT)):
        for scene, steps in scenes.items():
            for step, moments in steps.items():
                for when in moments:
                    yield Case(scene, Fault(program, step, when))


CASES: Final = tuple(_cases())
