"""Take up the work after a start: running agents are followed again, the others end honestly."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from domain.event import Json
from domain.execution import Execution, ExecutionState, Handle
from domain.outcome import failed
from domain.session import Move, SessionFailure, SessionState, next_state
from pipelines.connection_secret import ConnectionSecrets
from pipelines.follow_execution import FollowExecution
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
    secrets: ConnectionSecrets

    async def __call__(self) -> Recovered:
        """Give every execution that the store thinks open a follower or an ending."""
        await self._register_secrets()
        async with self.store.read() as state:
            open_ones = await state.executions_in(_OPEN)
        known = await self._instances()
        followed = 0
        for execution in open_ones:
            if await self._take_up(execution, known.get(execution.handle)):
                followed += 1
            else:
                await self.follow.conclude(execution.handle)
        await self._end_forgotten(known, {each.handle for each in open_ones})
        await self._end_unstarted()
        return Recovered(followed, len(open_ones) - followed)

    async def _register_secrets(self) -> None:
        """Every secret is known to the redactor before anything is written that could hold one."""
        async with self.store.read() as state:
            for workspace in await state.workspaces(None, 1_000_000):
                for connection in await state.connections(workspace.id):
                    await self.secrets(state, connection)

    async def _instances(self) -> Mapping[Handle, InstanceStatus]:
        listed = await self.runtime.instances()
        return {} if failed(listed) else {each.handle: each for each in listed.unwrap()}

    async def _take_up(self, execution: Execution, instance: InstanceStatus | None) -> bool:
        """Follow an instance that agentctl still has; one that was not yet recorded is ended."""
        if instance is None:
            return False
        if execution.state is ExecutionState.STARTING:
            await self.runtime.stop(execution.handle)
            await self.runtime.release(execution.handle)
            return False
        self.followers.follow(execution.handle, execution.acknowledged)
        return True

    async def _end_forgotten(
        self, known: Mapping[Handle, InstanceStatus], expected: Collection[Handle]
    ) -> None:
        """Agents whose task was deleted before they were ended."""
        for handle in known.keys() - expected:
            async with self.store.read() as state:
                forgotten = await state.execution(handle.execution) is None
            if forgotten:
                await self.runtime.stop(handle)
                await self.runtime.release(handle)

    async def _end_unstarted(self) -> None:
        """Sessions that were between two states when the control plane ended."""
        async with self.store.write() as unit:
            for session in await unit.sessions_in((SessionState.STARTING, SessionState.STOPPING)):
                execution = await unit.execution(session.execution) if session.execution else None
                if execution is not None and execution.state is ExecutionState.LIVE:
                    continue
                state = next_state(session.state, Move.START_FAILED)
                if not failed(state):
                    await unit.save_session(
                        replace(
                            session,
                            state=state.unwrap(),
                            failure=SessionFailure("interrupted", "Kandev ended while it started"),
                        )
                    )
