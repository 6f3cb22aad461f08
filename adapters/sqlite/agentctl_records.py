"""The agentctl of this machine, and who may hold its relay."""

from sqlalchemy import select

from adapters.sqlite.counters import Counters
from adapters.sqlite.tables import AgentctlRow, table
from ports.agentctl_record import AgentctlRecord

__all__ = ("AgentctlReads", "AgentctlWrites")

_AGENTCTL = table(AgentctlRow).c
_ONE = select(_AGENTCTL.socket, _AGENTCTL.pid, _AGENTCTL.started, _AGENTCTL.sealed_key)
_ONLY_ID = 1
_EPOCH = "relay_epoch"


class AgentctlReads(Counters):
    __slots__ = ()

    async def agentctl(self) -> AgentctlRecord | None:
        row = await self._on.one(_ONE, {})
        if row is None:
            return None
        socket, pid, started, sealed = row
        return AgentctlRecord(socket, pid, started, bytes(sealed))


class AgentctlWrites(AgentctlReads):
    __slots__ = ()

    async def put_agentctl(self, record: AgentctlRecord) -> None:
        values = {
            "id": _ONLY_ID,
            "socket": record.socket,
            "pid": record.pid,
            "started": record.started,
            "sealed_key": record.sealed_key,
        }
        await self._put(AgentctlRow, values)

    async def next_epoch(self) -> int:
        epoch = await self._counter(_EPOCH) + 1
        await self._raise_counter(_EPOCH, epoch)
        return epoch
