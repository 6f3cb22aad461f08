"""Profiles by their names, as the command line knows them; the server knows them by their ids."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

from composition.client import ApiError, Client

__all__ = ("KINDS", "all_of", "find", "named", "path_of")

KINDS = ("agent", "executor")


def path_of(kind: str) -> str:
    return f"/api/v1/{kind}-profiles"


async def all_of(client: Client, kind: str, workspace: str) -> AsyncIterator[dict[str, Any]]:
    """Every profile of the kind in a workspace, by id."""
    after = ""
    while True:
        query = urlencode({"workspace_id": workspace, "after": after})
        page = await client.get(f"{path_of(kind)}?{query}")
        for profile in page:
            yield profile
        if not page:
            return
        after = page[-1]["id"]


async def find(client: Client, kind: str, workspace: str, name: str) -> dict[str, Any] | None:
    async for profile in all_of(client, kind, workspace):
        if profile["name"] == name:
            return profile
    return None


async def named(client: Client, kind: str, workspace: str, name: str) -> dict[str, Any]:
    """The profile of this name. Raises `ApiError` when there is none."""
    found = await find(client, kind, workspace, name)
    if found is None:
        detail = f"There is no {kind} profile {name!r} in this workspace."
        remedy = "`kandev profile list` says which there are."
        raise ApiError(404, f"{kind}_profile_not_found", detail, remedy)
    return found
