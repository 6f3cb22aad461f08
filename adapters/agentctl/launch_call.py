"""The request that launches an instance: answered at its end, or told while it goes on."""

from typing import Final

import msgspec

from adapters.agentctl import wire
from adapters.agentctl.connection import AgentctlConnection, problem_of, refusal_of, unreachable
from adapters.agentctl.event_lines import lines_of, read_event
from adapters.agentctl.instance_call import decoded
from adapters.agentctl.launch_wire import LaunchEnd
from domain.outcome import Failure, Result, Success, failed
from ports.runtime import Heard, RuntimeCode, RuntimeProblem

__all__ = ("plain_launch", "told_launch")

_END: Final = b'{"end":'

_created: Final = msgspec.json.Decoder(wire.Created)
_ends: Final = msgspec.json.Decoder(LaunchEnd)


async def plain_launch(
    connection: AgentctlConnection, content: bytes, seconds: float
) -> Result[wire.Created, RuntimeProblem]:
    answer = await connection.request("POST", "/api/v1/instances", content=content, seconds=seconds)
    return answer if failed(answer) else decoded(answer.unwrap(), _created)


async def told_launch(
    connection: AgentctlConnection, content: bytes, seconds: float, heard: Heard
) -> Result[wire.Created, RuntimeProblem]:
    """Hand its events on until it is answered; whoever gives up has agentctl give it up."""
    try:
        async with connection.stream(
            "/api/v1/launches", {}, method="POST", content=content, seconds=seconds
        ) as answer:
            if answer.status_code >= 400:
                await answer.aread()
                return Failure(problem_of(answer))
            async for lines in lines_of(answer):
                events = [read_event(line) for line in lines if not line.startswith(_END)]
                if events:
                    await heard(events)
                if lines[-1].startswith(_END):
                    return _outcome(_ends.decode(lines[-1]))
    except ConnectionError:
        return Failure(unreachable())
    detail = "agentctl did not say what came of the launch"
    return Failure(RuntimeProblem(RuntimeCode.PROTOCOL, detail))


def _outcome(end: LaunchEnd) -> Result[wire.Created, RuntimeProblem]:
    if end.created is not None:
        return Success(end.created)
    if end.refused is not None:
        return Failure(refusal_of(end.refused))
    return Failure(RuntimeProblem(RuntimeCode.PROTOCOL, "a launch came to nothing"))
