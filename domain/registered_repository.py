"""Repositories as a workspace knows them: where they come from, nothing read from a checkout."""

from dataclasses import dataclass
from datetime import datetime

from domain.identity import RepositoryId, WorkspaceId
from domain.repository import RepositoryIdentity

__all__ = ("Repository",)


@dataclass(frozen=True, slots=True)
class Repository:
    """A registered repository.

    Exactly one of `clone_url` and `local_path` is set. `identity` is what leases are bound to, from
    the clone URL or, for a local path, from its `origin` when it was registered; None when it has
    no remote. `name` is the folder it gets in a task's workspace.
    """

    id: RepositoryId
    workspace: WorkspaceId
    name: str
    clone_url: str | None
    local_path: str | None
    identity: RepositoryIdentity | None
    default_branch: str
    created_at: datetime
