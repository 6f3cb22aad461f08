"""Why an environment starts nothing, in one sentence that every edge shows.

It names layers, variables and positions. A key or a value may hold a secret, and is never in it.
"""

from typing import Final, assert_never

from domain.environment import ConflictingVariable, EnvironmentProblem
from domain.git_config import (
    COUNT,
    MAX_BYTES,
    MAX_ENTRIES,
    MAX_TEXT_BYTES,
    MalformedGitConfig,
    Reason,
)

__all__ = ("sentence",)

_FAULTS: Final = {
    Reason.BOGUS_COUNT: "is no count that git reads",
    Reason.TOO_MANY_ENTRIES: (
        f"stands for more than {MAX_ENTRIES} entries, which every git command would read in time"
        " that grows with their square"
    ),
    Reason.TOO_MANY_BYTES: (
        f"stands for more than {MAX_BYTES} bytes, which leave git no room to start a hook"
    ),
    Reason.MISSING_KEY: f"is missing, though {COUNT} reaches it",
    Reason.MISSING_VALUE: f"is missing, though {COUNT} reaches it",
    Reason.EMPTY_KEY: "is empty",
    Reason.NO_SECTION: "names no section",
    Reason.NO_VARIABLE: "names no variable",
    Reason.INVALID_KEY: "is no key that git accepts",
    Reason.RELATIVE_INCLUDE: "includes a relative path, and has no file to be relative to",
    Reason.TOO_LONG: f"has more than {MAX_TEXT_BYTES} bytes, with which nothing starts",
    Reason.UNREPRESENTABLE: "holds what no process can be given",
}


def sentence(problem: EnvironmentProblem) -> str:
    match problem:
        case MalformedGitConfig(layer, variable, index, reason):
            where = "" if index is None else f" (entry {index})"
            return f"{layer}: {variable}{where} {_FAULTS[reason]}"
        case ConflictingVariable(variable, lower, higher):
            return f"{lower} and {higher} differ about {variable}, and one of them means a secret"
        case _:
            assert_never(problem)
