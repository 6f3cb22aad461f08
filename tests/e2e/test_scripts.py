"""Scripts of a repository as its user meets them: set over REST, run at a launch."""

import asyncio
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from composition.client import ApiError
from domain import git_config
from domain.git_config import Entry
from tests.e2e.conftest import TOKEN, git
from tests.e2e.connected import AUTHOR, connect
from tests.e2e.kandev import SECONDS, Driver, Installation, Json
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


@requirement("script:setup:managed")
async def test_a_setup_sees_the_hooks_of_the_host_and_pushes_with_managed_access(
    tmp_path: Path, forge: Forge
) -> None:
    hooks = Entry("core.hookspath", "/no/hooks")
    installation = Installation(tmp_path / "home", git_config.serialize([hooks]))
    setup = (
        "set -e\n"
        "git config --get core.hooksPath > told\n"
        f"git fetch --quiet origin && {AUTHOR} commit -q --allow-empty -m Setup\n"
        "git push --quiet origin HEAD:refs/heads/from-setup\n"
    )
    settings = {"setup_script": setup, "on_setup_failure": "block"}
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        repository = await kandev.repository({
            "clone_url": forge.url("acme/app"),
            "settings": settings,
        })
        session = await kandev.launch(await kandev.task(repository))
        done = await ended(kandev, session["id"])

    worktree = Path(session["metadata"]["workspace"])
    assert (worktree / "told").read_text(encoding="utf-8") == "/no/hooks\n"
    assert (done["script"], done["exit"]) == ("setup", 0)
    assert git("log", "-1", "--format=%s", "from-setup", at=forge.root / "acme/app.git") == "Setup"


@requirement("script:events:meanwhile")
async def test_a_setup_is_seen_while_it_runs_and_after_it_forbade_the_launch(
    installation: Installation, checkout: Path, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    setup = f"echo waiting; until test -e {go}; do sleep 0.02; done; echo gone; exit 3"
    async with installation.server() as kandev:
        await kandev.workspace_of()
        settings = {"setup_script": setup, "on_setup_failure": "block"}
        repository = await kandev.repository({"local_path": str(checkout), "settings": settings})
        task = await kandev.task(repository)
        async with asyncio.TaskGroup() as group:
            launching = group.create_task(refused_launch(kandev, task))
            session = await begun(kandev, task)
            meanwhile = await said(kandev, session, "waiting\n")
            go.touch()
        afterwards = await said(kandev, session, "gone\n")
        failed = await kandev.session(session)

    assert launching.result() == "setup_failed"
    assert meanwhile["body"]["status"] == afterwards["body"]["status"] == "running"
    assert (failed["state"], failed["failure"]["code"]) == ("failed", "setup_failed")


async def refused_launch(kandev: Driver, task: str) -> str:
    with pytest.raises(ApiError) as refused:
        await kandev.launch(task)
    return refused.value.code


async def begun(kandev: Driver, task: str) -> str:
    """The session of a launch under way; it comes without an event that could be waited for."""
    path = f"/api/v1/tasks/{task}/sessions"
    async with asyncio.timeout(SECONDS):
        while not (sessions := await kandev.client.get(path)):  # noqa: ASYNC110 -- as above
            await asyncio.sleep(0.02)
    return str(sessions[0]["id"])


async def ended(kandev: Driver, session: str) -> Json:
    """What is told of a script that came to its end."""
    async with asyncio.timeout(SECONDS):
        async for event in kandev.client.events(session):
            if event["body"].get("status") == "completed":
                body: Json = event["body"]
                return body
    raise AssertionError(session)


async def said(kandev: Driver, session: str, text: str) -> Json:
    """The event in which a script said this."""
    async with asyncio.timeout(SECONDS):
        async for event in kandev.client.events(session):
            if event["body"].get("text") == text:
                return event
    raise AssertionError(text)


@requirement("script:setting")
@requirement("script:placeholder:unknown")
@requirement("script:setup:block")
async def test_a_launch_that_the_setup_forbids_says_why(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        await kandev.workspace_of()
        repository = await kandev.repository({"local_path": str(checkout)})
        path = f"/api/v1/repositories/{repository}/settings"
        scripts = {"setup_script": "echo why {{no.name}}; exit 3", "on_setup_failure": "block"}
        stored = await kandev.client.put(path, scripts)
        with pytest.raises(ApiError) as invalid:
            await kandev.client.put(path, {"cleanup_script": "\0"})
        with pytest.raises(ApiError) as refused:
            await kandev.launch(await kandev.task(repository))

    assert stored == {
        "copy_files": "",
        **scripts,
        "cleanup_script": "",
        "worktree_branch_template": "",
        "unknown_placeholders": ["no.name"],
    }
    assert (invalid.value.status, invalid.value.code) == (400, "unusable_script")
    assert (refused.value.status, refused.value.code) == (409, "setup_failed")
    assert "status 3" in refused.value.detail
    assert "why {{no.name}}" in refused.value.detail
