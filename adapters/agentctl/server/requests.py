"""Bodies of requests that a route reads for itself, and what they must keep to."""

from typing import TypeVar

import msgspec

from adapters.agentctl.server.refusals import RefusedError
from domain.outcome import Result, failed
from ports.runtime import RuntimeCode, RuntimeProblem

__all__ = ("checked", "read")

Value = TypeVar("Value")


def read(body: bytes, kind: type[Value]) -> Value:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as error:
        raise RefusedError(RuntimeProblem(RuntimeCode.INVALID, str(error))) from None


def checked(outcome: Result[Value, object]) -> Value:
    """The control plane asks nothing that it did not check; this end relies on nobody."""
    if failed(outcome):
        fault = type(outcome.failure()).__name__
        raise RefusedError(RuntimeProblem(RuntimeCode.INVALID, fault))
    return outcome.unwrap()
