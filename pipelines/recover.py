"""Take up the work after a start: running agents are followed again, the others end honestly."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from domain.event import Json
from domain.execution import Execution, ExecutionState, Handle
from domain.outcome import failed
from domain.session import SessionState
from pipelines.follow_execution import FollowExecution
from pipelines.known_secrets import KnownSecrets
from pipelines.start_problem import INTERRUPTED, fallen
from ports.followers import Followers
from ports.runtime import InstanceStatus, Runtime
from ports.store import Store

__all__ = ("Recover", "Recovered")

_OPEN = (ExecutionState.STARTING, ExecutionState.LIVE)


@dataclass(frozen=True, slots=True)
class Recovered:
    """How many executions are followed again, and how many were found to have ended."""

    followed: int
    ended: int

    def to_json(self) -> Json:
        return {"followed": self.followed, "ended": self.ended}


@dataclass(frozen=True, slots=True)
class Recover:
    store: Store
    runtime: Runtime
    follow: FollowExecution
    followers: Followers
    secrets: KnownSecrets

    async def __call__(self) -> Recovered:
        """Give every execution that the store thinks open a follower or an ending."""
        await self.secrets.register()  # before anything is written that could hold one
        async with self.store.read() as state:
            open_ones = await state.executions_in(_OPEN)
        known = await self._known(wanted=bool(open_ones))
        followed = 0
        for execution in open_ones:
            if await self._take_up(execution, known):
                followed += 1
            else:
                await self.follow.conclude(execution.handle)
        await self._end_forgotten(known or {}, {each.handle for each in open_ones})
        await self._end_unstarted()
        await self._deliver()
        return Recovered(followed, len(open_ones) - followed)

    async def _known(self, *, wanted: bool) -> Mapping[Handle, InstanceStatus] | None:
        """What agentctl has, a killed one's remains included; None when it cannot be asked."""
        if wanted and failed(await self.runtime.attend()):
            return None
        listed = await self.runtime.instances()
        return None if failed(listed) else {each.handle: each for each in listed.unwrap()}

    async def _take_up(
        self, execution: Execution, known: Mapping[Handle, InstanceStatus] | None
    ) -> bool:
        """Follow an instance that agentctl still has; one that was not yet recorded is ended.

        `known` is None when agentctl did not answer. Nothing is concluded from that: whoever
        follows asks again, and ends what turns out to be gone.
        """
        handle = execution.handle
        if known is not None and handle not in known:
            return False
        if execution.state is ExecutionState.STARTING:
            await self.runtime.stop(handle)
            await self.runtime.release(handle)
            return False
        async with self.store.read() as state:
            turn = await state.running_turn(execution.session)
        self.followers.follow(handle, execution.acknowledged, turn.id if turn else None)
        return True

    async def _end_forgotten(
        self, known: Mapping[Handle, InstanceStatus], expected: Collection[Handle]
    ) -> None:
        """Agents that were over for us, or whose task was deleted, before they were let go."""
        for handle in known.keys() - expected:
            async with self.store.read() as state:
                execution = await state.execution(handle.execution)
            if execution is None or execution.state is ExecutionState.ENDED:
                await self.runtime.stop(handle)
                await self.runtime.release(handle)

    async def _deliver(self) -> None:
        """Prompts whose delivery nobody finished, or whose turn came before that ended."""
        async with self.store.read() as state:
            idle = await state.sessions_in((SessionState.IDLE,))
        for session in idle:
            await self.follow.deliver(session.id)

    async def _end_unstarted(self) -> None:
        """Sessions that were between two states when the control plane ended."""
        async with self.store.write() as unit:
            for session in await unit.sessions_in((SessionState.STARTING, SessionState.STOPPING)):
                execution = await unit.execution(session.execution) if session.execution else None
                if execution is not None and execution.state is ExecutionState.LIVE:
                    continue
                after = fallen(session, INTERRUPTED)
                if after is not None:
                    await unit.save_session(after)
