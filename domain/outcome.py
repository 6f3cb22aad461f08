"""The only door to `returns`: outcomes that a caller is expected to have an opinion about.

`isinstance(outcome, Failure)` narrows to `Failure[Any]` under mypy (python/mypy#12146), which lets
an undeclared problem escape any signature. `failed` is the guard that keeps the problem's type.
"""

from collections.abc import Callable
from typing import TypeVar

from returns.result import Failure, Result, Success
from typing_extensions import TypeIs

__all__ = ("Failure", "Result", "Success", "failed", "fold")

Value = TypeVar("Value")
Problem = TypeVar("Problem")
Answer = TypeVar("Answer")


def failed(outcome: Result[Value, Problem]) -> TypeIs[Failure[Problem]]:
    """Tell a failure from a success; both branches keep their types."""
    return isinstance(outcome, Failure)


def fold(
    outcome: Result[Value, Problem],
    value: Callable[[Value], Answer],
    problem: Callable[[Problem], Answer],
) -> Answer:
    """Turn either side into one answer: what an edge does with an outcome."""
    return problem(outcome.failure()) if failed(outcome) else value(outcome.unwrap())
