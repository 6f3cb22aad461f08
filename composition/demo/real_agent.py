"""A real agent on the stage: it is started, and shown as far as it goes without an account."""

from typing import Any

from composition.client import ApiError, Client
from composition.demo.story import Story

__all__ = ("meet",)


async def meet(client: Client, story: Story, name: str) -> None:
    """Initialize it and open a conversation in a worktree, under the same policy."""
    assert story.repository is not None, "registered before"
    report = story.report
    task: dict[str, Any] = await client.post(
        "/api/v1/tasks",
        {
            "workspace_id": story.workspace,
            "title": f"Meet {name}",
            "prompt": "Say hello.",
            "repositories": [{"repository_id": story.repository["id"]}],
        },
    )
    try:
        session = await client.post(
            f"/api/v1/tasks/{task['id']}/sessions", {"agent": name, "prompt": ""}
        )
    except ApiError as error:
        report.step(f"{name} went as far as: {error}")
        report.check(
            f"{name} is installed and started",
            error.code not in {"unknown_agent", "agent_not_installed"},
            error.code,
        )
        return
    report.step(f"{name} opened the conversation {session['acp_session_id']}")
    await client.post(f"/api/v1/sessions/{session['id']}/stop")
    report.check(f"{name} is installed and started", True, session["acp_session_id"])
