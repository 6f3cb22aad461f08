"""Variables that a client gives to a process: what no operating system can pass is refused here."""

from collections.abc import Mapping
from dataclasses import dataclass

from domain.outcome import Failure, Result, Success

__all__ = ("InvalidVariable", "check_variables")


@dataclass(frozen=True, slots=True)
class InvalidVariable:
    """The variable of this name cannot be passed; the value could be a secret and is not told."""

    name: str


def check_variables(variables: Mapping[str, str]) -> Result[None, InvalidVariable]:
    """A name is not empty and has no `=`; neither part has a NUL (environ(7)).

    How much fits is for whoever starts the process to say.
    """
    wrong = next(
        (
            name
            for name, value in variables.items()
            if not name or "=" in name or "\0" in name or "\0" in value
        ),
        None,
    )
    return Success(None) if wrong is None else Failure(InvalidVariable(wrong))
