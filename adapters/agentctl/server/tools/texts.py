"""What each managed tool holds on this machine: the script beside this file, told where things are.

No Python starts for `get`, `store` or `erase`: git ships a compiled client of a unix socket
(git-credential-cache(1)). `store` never reaches that client, which would start a daemon.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from domain import managed_shell
from domain.managed_git import HELPER_NAME

__all__ = ("Machine", "texts")

_SCRIPTS: Final[Mapping[str, str]] = {
    HELPER_NAME: "git-credential-kandev.sh",
    "agentctl": "agentctl.sh",
    "gh": "gh.sh",
    managed_shell.START: "shell-start.sh",
}
_SHEBANG = "#!/bin/sh\n"


@dataclass(frozen=True, slots=True)
class Machine:
    """What the tools call, by absolute path.

    `client` are the words of the socket's client, which the path of the socket and the action
    follow; `git` is empty where there is none.
    """

    client: Sequence[str]
    git: str
    mkdir: str
    rm: str


def texts(directory: Path, machine: Machine) -> Mapping[str, str]:
    """What each file of the directory holds, by name."""
    told = _told(directory, machine)
    return {name: _read(script).replace(_SHEBANG, told, 1) for name, script in _SCRIPTS.items()}


def _told(directory: Path, machine: Machine) -> str:
    places = {"tools": directory, "git": machine.git, "mkdir": machine.mkdir, "rm": machine.rm}
    client = shlex.join(machine.client)
    return "".join([
        _SHEBANG,
        *(f"{name}={shlex.quote(str(place))}\n" for name, place in places.items()),
        f'client() {{ exec {client} "$KANDEV_BROKER_SOCKET" "$1"; }}\n',
    ])


def _read(script: str) -> str:
    return (Path(__file__).parent / script).read_text(encoding="utf-8")
