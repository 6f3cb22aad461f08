"""Saved prompts over REST: whole, in pages, and changed by who saw the newest version."""

import pytest

from tests.adapters.http.conftest import Json, Web
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

PROMPTS = "/api/v1/prompts"
REVIEW: Json = {
    "name": "review",
    "text": "Review {{what}}.",
    "description": "Look at work",
    "arguments": [{"name": "what", "description": "Which work", "required": True}],
}


@requirement("prompt:kept")
async def test_a_prompt_is_made_shown_listed_changed_and_removed(web: Web) -> None:
    workspace = await web.workspace()

    made = await web.ok("POST", PROMPTS, {"workspace_id": workspace, **REVIEW})

    path = f"{PROMPTS}/{made['id']}"
    other = await web.ok("POST", PROMPTS, {"workspace_id": workspace, "name": "b", "text": "B."})
    assert made == {
        "id": made["id"],
        "workspace_id": workspace,
        **REVIEW,
        "version": 0,
        "created_at": "2026-01-02T03:04:05Z",
    }
    assert await web.ok("GET", path) == made
    assert await web.ok("GET", f"{PROMPTS}?workspace_id={workspace}") == [made, other]
    assert await web.ok("GET", f"{PROMPTS}?workspace_id={workspace}&limit=1") == [made]
    assert await web.ok("GET", f"{PROMPTS}?workspace_id={workspace}&after={made['id']}") == [other]

    changed = await web.ok("PUT", path, {"name": "c", "text": "C.", "version": 0})

    assert changed == {
        **made,
        "name": "c",
        "text": "C.",
        "description": "",
        "arguments": [],
        "version": 1,
    }
    await web.ok("DELETE", path)
    assert await web.refused("GET", path) == (404, "prompt_not_found")
    assert await web.refused("DELETE", path) == (404, "prompt_not_found")


@requirement("prompt:kept")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": "Review"}, "invalid_saved_prompt"),
        ({"text": " "}, "invalid_saved_prompt"),
        ({"arguments": []}, "invalid_saved_prompt"),
        ({"description": "a\nb"}, "invalid_saved_prompt"),
        ({"arguments": [{"name": "what"}, {"name": "what"}]}, "invalid_saved_prompt"),
        ({"name": "taken"}, "name_taken"),
        ({"version": 7}, "prompt_changed"),
        ({"unknown": 1}, "invalid_request"),
    ],
)
async def test_what_cannot_be_kept_changes_nothing(web: Web, change: Json, code: str) -> None:
    workspace = await web.workspace()
    await web.ok("POST", PROMPTS, {"workspace_id": workspace, **REVIEW, "name": "taken"})
    made = await web.ok("POST", PROMPTS, {"workspace_id": workspace, **REVIEW})
    path = f"{PROMPTS}/{made['id']}"

    refused = [await web.refused("PUT", path, {**REVIEW, "version": 0, **change})]
    if "version" not in change:
        body = {"workspace_id": workspace, **REVIEW, "name": "new", **change}
        refused.append(await web.refused("POST", PROMPTS, body))

    assert {each for _, each in refused} == {code}
    assert await web.ok("GET", path) == made


@requirement("prompt:kept")
async def test_a_workspace_that_is_not_there_has_no_prompts(web: Web) -> None:
    body = {"workspace_id": "unknown", **REVIEW}

    assert await web.refused("POST", PROMPTS, body) == (404, "workspace_not_found")
    assert await web.refused("GET", f"{PROMPTS}?workspace_id=unknown") == (
        404,
        "workspace_not_found",
    )
