"""One request about an instance, which names it by all three ids."""

from typing import Protocol, TypeVar
from urllib.parse import quote

import httpx2
import msgspec

from adapters.agentctl import wire
from adapters.agentctl.connection import REQUEST_SECONDS, AgentctlConnection
from domain.execution import Handle
from domain.outcome import Failure, Result, Success
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("Present", "call", "decoded", "named", "path_of", "read")

Value = TypeVar("Value")


class Present(Protocol):
    """Whoever knows the agentctl that runs."""

    def present(self) -> AgentctlConnection | None:
        """The agentctl that runs, as far as is known."""
        ...


async def call(
    keeper: Present,
    handle: Handle,
    method: str,
    rest: str,
    content: bytes | None,
    seconds: float = REQUEST_SECONDS,
) -> Result[httpx2.Response, RuntimeProblem]:
    connection = keeper.present()
    if connection is None:
        return Failure(RuntimeProblem(RuntimeCode.NO_INSTANCE, "no agentctl runs"))
    return await connection.request(
        method, f"{path_of(handle)}{rest}", content=content, headers=named(handle), seconds=seconds
    )


def decoded(
    answer: httpx2.Response, decoder: "msgspec.json.Decoder[Value]"
) -> Result[Value, RuntimeProblem]:
    """What agentctl answered; one of another version may answer something else."""
    return read(answer.content, decoder)


def read(
    content: bytes | msgspec.Raw, decoder: "msgspec.json.Decoder[Value]"
) -> Result[Value, RuntimeProblem]:
    try:
        return Success(decoder.decode(content))
    except msgspec.DecodeError:
        detail = "agentctl answered what is not understood"
        return Failure(RuntimeProblem(RuntimeCode.PROTOCOL, detail))


def path_of(handle: Handle) -> str:
    return f"/api/v1/instances/{quote(handle.execution, safe='')}"


def named(handle: Handle) -> dict[str, str]:
    return {wire.TASK_HEADER: handle.task, wire.SESSION_HEADER: handle.session}
