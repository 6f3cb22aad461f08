"""A workspace that is connected to a forge, and the words of an agent that pushes."""

import json
from typing import Any

from adapters.forge.forge import Forge
from tests.e2e.kandev import Driver, call, script

AUTHOR = "git -c user.name=Agent -c user.email=agent@localhost"


async def connect(kandev: Driver, forge: Forge, token: str, mode: str | None = None) -> str:
    """Register and connect a workspace; its id."""
    workspace = await kandev.workspace_of(mode=mode)
    await reconnect(kandev, forge, token)
    return workspace


async def reconnect(kandev: Driver, forge: Forge, token: str) -> dict[str, Any]:
    connection: dict[str, Any] = await kandev.client.put(
        f"/api/v1/workspaces/{kandev.workspace}/connections",
        {
            "host": forge.host,
            "login": "robot",
            "token": token,
            "probe_url": forge.url("acme/app"),
            "certificate_authority": forge.authority,
        },
    )
    return connection


async def choose(kandev: Driver, mode: str) -> None:
    """Change the workspace's policy."""
    await kandev.client.put(
        "/api/v1/github/workspace-settings",
        {"workspace_id": kandev.workspace, "task_git_credentials_mode": mode},
    )


def push(name: str, folder: str = ".") -> str:
    """A turn that commits a file and pushes it; the tool's exit code is the push's."""
    at = f"git -C {folder}" if folder != "." else "git"
    author = AUTHOR.replace("git", at, 1)
    return script(
        call("run", f"touch {folder}/{name} && {at} add --all && {author} commit -qm {name}"),
        call("run", f"{at} push --quiet origin HEAD"),
    )


def outcomes(events: list[dict[str, Any]]) -> list[str]:
    """How each tool of a turn ended."""
    ended = (event["body"].get("status") for event in events if event["kind"] == "tool_update")
    return [status for status in ended if status in {"complete", "error"}]


def shown(value: object) -> str:
    return json.dumps(value)
