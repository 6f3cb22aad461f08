"""Whose a repository is that git does not trust, and as whom git runs."""

import os
import pwd
from pathlib import Path

__all__ = ("owners",)


def owners(repository: str) -> str:
    """Says both users by name and number.

    Git looks at the work tree and at what is below its `.git`; the first that is not ours is told.
    """
    user = os.geteuid()
    told = [_owner(path) for path in (Path(repository), Path(repository, ".git"))]
    foreign = next((owner for owner in told if owner not in {None, user}), told[0])
    owner = "an unknown user" if foreign is None else _name(foreign)
    return f"{repository} belongs to {owner}, and git runs as {_name(user)}"


def _owner(path: Path) -> int | None:
    try:
        return path.lstat().st_uid
    except OSError:
        return None


def _name(user: int) -> str:
    try:
        return f"{pwd.getpwuid(user).pw_name} ({user})"
    except KeyError:
        return f"user {user}"
