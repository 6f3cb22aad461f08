"""What every git process of ours has in common: its environment and its bounds.

A command of ours sees the environment that it is given, less what points git at another repository
and less what would ask a person; a closed one sees only what is listed here.
"""

from collections.abc import Mapping
from typing import Final

from domain.withheld_names import GIT_REDIRECTS

__all__ = (
    "CLOSED_NAMES",
    "LOCAL_SECONDS",
    "LOCK_SECONDS",
    "MAX_STDERR_BYTES",
    "MAX_STDOUT_BYTES",
    "PROBE_SECONDS",
    "TRANSFER_SECONDS",
    "closed",
    "environment",
)

MAX_STDOUT_BYTES: Final = 16 * 1024 * 1024
"""Output of one command; the command that says more is ended."""
MAX_STDERR_BYTES: Final = 64 * 1024
"""What is kept of a command's standard error: the end of it, in whole lines."""

PROBE_SECONDS: Final = 30.0
"""For a question to a remote."""
TRANSFER_SECONDS: Final = 1_800.0
"""For a clone or a fetch over the network."""
LOCAL_SECONDS: Final = 300.0
"""For a clone, a fetch or a question on this machine."""
LOCK_SECONDS: Final = 60.0
"""How long a repository that another process works on is waited for."""

CLOSED_NAMES: Final = frozenset({
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LD_LIBRARY_PATH",
    "NO_PROXY",
    "PATH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
})
"""What a closed command keeps of its parent: how to find programs, the network and trust."""

_ASKS_A_PERSON: Final = frozenset({"SSH_ASKPASS"})

_QUIET: Final = {
    "GCM_INTERACTIVE": "never",
    "GIT_EDITOR": ":",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "SSH_ASKPASS_REQUIRE": "never",
}

_ISOLATED: Final = {
    "GIT_ASKPASS": "",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "HOME": "/dev/null",
}
"""No configuration, credentials or `.netrc` of a user or the system: a home that holds nothing."""


def environment(
    base: Mapping[str, str], *, isolated: bool, index: str | None = None
) -> dict[str, str]:
    """The environment of a git command that is given `base`; `index` is one that we made."""
    withheld = GIT_REDIRECTS | _ASKS_A_PERSON
    kept = {name: value for name, value in base.items() if name not in withheld}
    ours = {"GIT_INDEX_FILE": index} if index is not None else {}
    return kept | _QUIET | (_ISOLATED if isolated else {}) | ours


def closed(parent: Mapping[str, str]) -> dict[str, str]:
    """What a closed command takes from the process that starts it."""
    return {name: value for name, value in parent.items() if name in CLOSED_NAMES}
