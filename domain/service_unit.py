"""A user service that serves a home: its unit, and how it differs from the shell it was made in.

The unit is systemd's (systemd.service(5), systemd.exec(5)). It holds no secret: what may be one is
named as left out, and belongs in the home's environment file, which only the owner reads.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.outcome import Failure, Result, Success

__all__ = (
    "ENVIRONMENT_FILE",
    "MARK",
    "UNIT_NAME",
    "Service",
    "Unquotable",
    "plan",
    "search_path",
)

UNIT_NAME: Final = "kandev.service"
ENVIRONMENT_FILE: Final = "service.env"
"""In the home; one `NAME=value` a line."""
MARK: Final = "# Made by `kandev service install`, which makes it anew.\n"
"""The first line of a unit that may be replaced."""

_CARRIED: Final = ("KANDEV_HOST", "KANDEV_PORT", "KANDEV_PUBLIC_URL", "LANG")
_SYSTEM_PATH: Final = ("/usr/local/bin", "/usr/bin", "/bin")
_TELLING: Final = (
    "ANTHROPIC_", "AWS_", "CLAUDE_", "CODEX_", "CURL_", "GEMINI_", "GH_", "GIT_", "GITHUB_",
    "GOOGLE_", "HTTPS_PROXY", "HTTP_PROXY", "KANDEV_", "NODE_", "NO_PROXY", "NVM_", "OPENAI_",
    "PYTHON", "REQUESTS_", "SSH_", "SSL_", "XDG_",
)  # fmt: skip
"""How the names begin of what changes what a server, git or an agent does."""


@dataclass(frozen=True, slots=True)
class Unquotable:
    """The value of the name has a control character, which no unit can hold."""

    name: str


@dataclass(frozen=True, slots=True)
class Service:
    """The text of the unit; `left_out` are names that the shell has and the service will not."""

    unit: str
    path: Sequence[str]
    left_out: Sequence[str]


def plan(
    command: Sequence[str], home: str, tools: Iterable[str], environment: Mapping[str, str]
) -> Result[Service, Unquotable]:
    """The service that runs the command for a home, with the tools that were found, by path."""
    carried = {name: environment[name] for name in _CARRIED if environment.get(name)}
    path = search_path(tools)
    variables = {"KANDEV_HOME": home, **carried, "PATH": ":".join(path)}
    spoken = {**variables, "command": " ".join(command)}
    for name, value in spoken.items():
        if not value.isprintable():
            return Failure(Unquotable(name))
    left_out = sorted(
        name
        for name, value in environment.items()
        if value and name.upper().startswith(_TELLING) and name not in variables
    )
    return Success(Service(_unit(command, home, variables), path, left_out))


def search_path(tools: Iterable[str]) -> Sequence[str]:
    """The directories of the tools in the order given, then the system's; each once."""
    directories = [tool.rpartition("/")[0] for tool in tools if tool.startswith("/")]
    return [each for each in dict.fromkeys((*directories, *_SYSTEM_PATH)) if each]


def _unit(command: Sequence[str], home: str, variables: Mapping[str, str]) -> str:
    """Ending the server alone leaves the agents running, to be found again."""
    lines = [f"Environment={_quoted(f'{name}={value}')}" for name, value in variables.items()]
    return "\n".join([
        f"{MARK}[Unit]",
        "Description=Kandev, the control plane of coding agents",
        "",
        "[Service]",
        "Type=exec",
        f"ExecStart={' '.join(_quoted(word).replace('$', '$$') for word in command)}",
        *lines,
        f"EnvironmentFile=-{_specified(f'{home}/{ENVIRONMENT_FILE}')}",
        "KillMode=process",
        "Restart=on-failure",
        "RestartSec=5",
        "",
        "[Install]",
        "WantedBy=default.target",
        "",
    ])


def _quoted(word: str) -> str:
    escaped = _specified(word).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _specified(text: str) -> str:
    """A percent sign begins a specifier of systemd's."""
    return text.replace("%", "%%")
