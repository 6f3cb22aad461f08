"""Where the branch of a task begins: what is tried, in order."""

from dataclasses import dataclass

__all__ = ("Beginning", "beginning")

_REMOTE_HEAD = "origin/HEAD"


@dataclass(frozen=True, slots=True)
class Beginning:
    """`base` as git names it in the repository; where it is not there, the first `fallback` is.

    Without one the base has to be there.
    """

    base: str
    fallbacks: tuple[str, ...]


def beginning(asked: str | None, default: str, *, clone: bool) -> Beginning:
    """In a clone of ours, or in a repository of the user's.

    A branch that was asked for is sought at the remote and in the repository, and nothing stands in
    for it. Without one it is the repository's default branch, which may be gone since it was
    registered: then what the remote has as its default now, then what the user has checked out. A
    clone of ours has nothing checked out.
    """
    name = asked or default
    here, there = name, f"origin/{name}"
    if clone:
        return Beginning(there, (here,) if asked else (_REMOTE_HEAD,))
    return Beginning(here, (there,) if asked else (there, _REMOTE_HEAD, "HEAD"))
