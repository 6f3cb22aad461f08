"""What managed access adds to the search path and the shells of an agent, and takes away again.

A shell that is not interactive reads the file that `BASH_ENV` names (bash(1), INVOCATION). Ours
reads the one that was named before, and puts the tools first again, whatever a profile did.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from domain.shell_start import expanded

__all__ = ("PARENT", "START", "added", "without")

START: Final = "shell-start.sh"
"""Our file for shells, in the tools directory."""
PARENT: Final = "KANDEV_PARENT_BASH_ENV"
"""Where our file finds the one that it stands before."""
DEFAULT_PATH: Final = "/bin:/usr/bin"
"""Where programs are looked for when an environment names no place."""


def added(tools: str, value_of: Callable[[str], str | None]) -> dict[str, str]:
    """The variables for the absolute directory `tools`, over lower layers that have `value_of`."""
    start = f"{tools}/{START}"
    search = value_of("PATH") or DEFAULT_PATH
    others = [place for place in search.split(":") if place != tools]
    earlier = expanded(value_of("BASH_ENV") or "", value_of)
    parent = {PARENT: earlier} if earlier and earlier != start else {}
    return {"PATH": ":".join((tools, *others)), "BASH_ENV": start} | parent


def without(variables: Mapping[str, str], tools: Collection[str]) -> dict[str, str]:
    """The variables as they were before any of these directories was `added`."""
    kept = {name: value for name, value in variables.items() if name != PARENT}
    if "PATH" in kept:
        places = kept["PATH"].split(":")
        kept["PATH"] = ":".join(place for place in places if place not in tools)
    if kept.get("BASH_ENV") in {f"{each}/{START}" for each in tools}:
        del kept["BASH_ENV"]
        if variables.get(PARENT):
            kept["BASH_ENV"] = variables[PARENT]
    return kept
