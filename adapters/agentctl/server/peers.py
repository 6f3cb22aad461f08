"""Who connected to a socket of an instance, and whether it may be served (unix(7), SO_PEERCRED)."""

import asyncio
import os
import socket
import struct
from typing import Final

from adapters.agentctl.server.descent import Families
from domain.identity import ExecutionId
from domain.outcome import Failure, Result, Success
from domain.peer import Descent, Foreign, Peer

__all__ = ("peer_of",)

_PEER: Final = struct.Struct("3i")


def peer_of(
    writer: asyncio.StreamWriter, families: Families, execution: ExecutionId
) -> Result[Peer, Foreign]:
    """The process at the other end; refused when it is another user's or another instance's."""
    connection = writer.get_extra_info("socket")
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    pid, user, _ = _PEER.unpack(raw)
    peer = Peer(pid, families.descent(execution, pid))
    if user != os.geteuid() or peer.descent is Descent.OUTSIDE:
        return Failure(Foreign(pid, user))
    return Success(peer)
