"""Where the branch of a task begins: what is tried, in order."""

from dataclasses import dataclass

from domain.task import TaskRepository

__all__ = ("Beginning", "beginning", "pull_request_heads", "pull_request_ref")

_REMOTE_HEAD = "origin/HEAD"


@dataclass(frozen=True, slots=True)
class Beginning:
    """`base` as git names it in the repository; where it is not there, the first `fallback` is.

    Without one the base has to be there. `branch` is one that exists here or at the base.
    """

    base: str
    fallbacks: tuple[str, ...] = ()
    branch: str | None = None


def pull_request_ref(number: int) -> str:
    """Where the head of a pull request is kept in the clone of its repository."""
    return f"refs/kandev/pull/{number}"


def pull_request_heads(number: int) -> tuple[str, ...]:
    """Where a remote has it: GitHub and what is like it, then GitLab."""
    return f"refs/pull/{number}/head", f"refs/merge-requests/{number}/head"


def beginning(place: TaskRepository, default: str, *, clone: bool) -> Beginning:
    """In a clone of ours, or in a repository of the user's.

    A branch that was asked for is sought at the remote and in the repository, and nothing stands in
    for it. Without one it is the repository's default branch, which may be gone since it was
    registered: then what the remote has as its default now, then what the user has checked out. A
    clone of ours has nothing checked out.
    """
    if place.pull_request is not None:
        return Beginning(pull_request_ref(place.pull_request))
    if place.checkout is not None:
        return Beginning(f"origin/{place.checkout}", branch=place.checkout)
    asked = place.base
    name = asked or default
    here, there = name, f"origin/{name}"
    if clone:
        return Beginning(there, (here,) if asked else (_REMOTE_HEAD,))
    return Beginning(here, (there,) if asked else (there, _REMOTE_HEAD, "HEAD"))
