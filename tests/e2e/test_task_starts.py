"""Tasks that begin at a pull request and on branches that exist: through whole processes."""

from pathlib import Path
from typing import Any

import pytest

from adapters.forge.forge import Forge
from composition.client import ApiError
from tests.e2e.conftest import TOKEN, git
from tests.e2e.connected import connect
from tests.e2e.kandev import Driver, Installation
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


async def _task(kandev: Driver, repository: str, **start: object) -> dict[str, Any]:
    body = {
        "workspace_id": kandev.workspace,
        "prompt": "Work.",
        "repositories": [{"repository_id": repository, **start}],
    }
    task: dict[str, Any] = await kandev.client.post("/api/v1/tasks", body)
    return task


@requirement("branch:pull-request")
@requirement("branch:pull-request:missing")
@requirement("branch:existing")
@requirement("branch:existing:elsewhere")
async def test_work_begins_at_a_pull_request_or_on_a_branch_of_the_remote(
    installation: Installation, forge: Forge
) -> None:
    origin = forge.root / "acme" / "app.git"
    tree = git("rev-parse", "main^{tree}", at=origin)
    head = git("commit-tree", tree, "-p", "main", "-m", "Theirs", at=origin)
    git("update-ref", "refs/pull/7/head", head, at=origin)
    git("branch", "topic", "main", at=origin)
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        repository = await kandev.repository({"clone_url": forge.url("acme/app")})
        pull = await _task(kandev, repository, pull_request=7)
        begun = await kandev.launch(pull["id"])
        missing = await _task(kandev, repository, pull_request=8)
        with pytest.raises(ApiError) as unknown:
            await kandev.launch(missing["id"])
        existing = await kandev.launch(
            (await _task(kandev, repository, checkout_branch="topic"))["id"]
        )
        second = await _task(kandev, repository, checkout_branch="topic")
        with pytest.raises(ApiError) as in_use:
            await kandev.launch(second["id"])
        at_pull = git("rev-parse", "HEAD", at=Path(begun["metadata"]["workspace"]))
        at_topic = git(
            "symbolic-ref", "--short", "HEAD", at=Path(existing["metadata"]["workspace"])
        )

    assert pull["repositories"] == [
        {
            "repository_id": repository,
            "base_branch": None,
            "checkout_branch": None,
            "pull_request": 7,
        }
    ]
    assert at_pull == head
    assert unknown.value.code == "pull_request_not_found"
    assert at_topic == "topic"
    assert in_use.value.code == "git_branch_in_use"
