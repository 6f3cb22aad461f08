"""Whether managed access can hold where an agent is to run.

libcurl reads `.netrc` before git asks any helper, and a git that does not know the indexed list
would never hear of ours: with either, what was promised would silently not be so.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from domain.checkup import NEEDED_GIT
from domain.netrc import DEFAULT

__all__ = ("AmbientNetrc", "GitTooOld", "LaunchRefusal", "check")


@dataclass(frozen=True, slots=True)
class AmbientNetrc:
    """`.netrc` has an entry for these of the managed hosts, or `default`."""

    machines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GitTooOld:
    """The version that was found; None when it could not be read."""

    version: tuple[int, int] | None


LaunchRefusal: TypeAlias = AmbientNetrc | GitTooOld


def check(
    hosts: Collection[str],
    machines: Sequence[str],
    version: tuple[int, int] | None,
    *,
    accepts_netrc: bool,
) -> LaunchRefusal | None:
    """Why a managed launch is refused. `machines` are those of `.netrc`, by name without a port."""
    if version is None or version < NEEDED_GIT:
        return GitTooOld(version)
    managed = {_name(host) for host in hosts}
    found = tuple(each for each in machines if each == DEFAULT or each.lower() in managed)
    return AmbientNetrc(found) if found and not accepts_netrc else None


def _name(host: str) -> str:
    """What `.netrc` knows a host by."""
    return host if host.endswith("]") else host.partition(":")[0]
