"""A program of ours that is killed, as by `kill -9`, before or after one step of its own.

`python -I -m tests.faults.mortal PROGRAM ARGUMENTS...`, with the step in the variable `FAULT`. It
happens once: to the process that takes the file away which arms it.
"""

import functools
import importlib
import inspect
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ("FAULT", "Fault", "command")

FAULT = "FAULT"

PROGRAMS = {
    "agent": "adapters.scripted_agent.__main__",
    "agentctl": "composition.agentctl",
    "kandev": "composition.cli",
}


@dataclass(frozen=True)
class Fault:
    """`step` is `module:Class.method`; `when` is `before` or `after` it."""

    program: str
    step: str
    when: str

    def variable(self, armed: Path) -> str:
        return json.dumps({**asdict(self), "armed": str(armed)})


def command(program: str, *arguments: str) -> list[str]:
    return [sys.executable, "-I", "-m", "tests.faults.mortal", program, *arguments]


def main() -> None:
    program, *arguments = sys.argv[1:]
    sys.argv[1:] = arguments
    told = json.loads(os.environ[FAULT])
    if told["program"] == program:
        prepare(told["step"], told["when"], told["armed"])
    sys.exit(importlib.import_module(PROGRAMS[program]).main())


def prepare(step: str, when: str, armed: str) -> None:
    """Have the step end this process once it is armed."""
    module, _, name = step.partition(":")
    owner = importlib.import_module(module)
    *classes, last = name.split(".")
    for each in classes:
        owner = getattr(owner, each)

    def die(moment: str) -> None:
        if moment == when:
            try:
                os.unlink(armed)  # noqa: PTH108 -- in a program that is about to be killed
            except FileNotFoundError:
                return
            os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, last, around(getattr(owner, last), die))


def around(original: Callable[..., Any], die: Callable[[str], None]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(original):

        @functools.wraps(original)
        async def later(*given: Any, **named: Any) -> Any:
            die("before")
            try:
                return await original(*given, **named)
            finally:
                die("after")

        return later

    @functools.wraps(original)
    def now(*given: Any, **named: Any) -> Any:
        die("before")
        try:
            return original(*given, **named)
        finally:
            die("after")

    return now


if __name__ == "__main__":
    main()
