"""What went wrong for others, played again: stray and overlaid entries, an inherited repository."""

import hashlib
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from composition.client import ApiError
from domain import git_config
from domain.git_config import Entry
from tests.e2e.agent import launched
from tests.e2e.conftest import TOKEN, git
from tests.e2e.connected import AUTHOR, choose, connect
from tests.e2e.kandev import Driver, Installation
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

STRATEGY = Entry("notes.augment.mergestrategy", "union")
STRAY = {"GIT_CONFIG_KEY_7": "x.y", "GIT_CONFIG_VALUE_7": "1"}
COMMIT = f"touch made && git add --all && {AUTHOR} commit --quiet -m Make"


def hooks(directory: Path) -> tuple[Entry, Path]:
    """A directory with a hook that leaves a marker, as an entry, and the marker."""
    directory.mkdir()
    marker, hook = directory / "marker", directory / "pre-commit"
    hook.write_text(f"#!/bin/sh\necho ran >> '{marker}'\n", encoding="utf-8")
    hook.chmod(0o755)
    return Entry("core.hookspath", str(directory)), marker


async def task_on(kandev: Driver, forge: Forge) -> str:
    await connect(kandev, forge, TOKEN)
    return await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))


@requirement("git-config:launched:stray")
@requirement("git-config:launched:switched")
@requirement("environment:tools:removed")
@requirement("git-config:launched:forwarded")
async def test_stray_entries_stop_nothing_and_a_forwarded_list_is_not_doubled(
    tmp_path: Path, forge: Forge
) -> None:
    hook, marker = hooks(tmp_path / "hooks")
    block = git_config.serialize([hook, STRATEGY])
    outer = Installation(tmp_path / "home", block | STRAY)
    async with outer.server() as kandev:
        agent = await launched(kandev, await task_on(kandev, forge), tmp_path / "told")
        seen = await agent.git_sees()
        inherited = await agent.environment()
        ended = await agent.runs(COMMIT)

        # A control plane that an agent started has all of this in its own process.
        inner = Installation(tmp_path / "inner", inherited)
        async with inner.server() as nested:
            again = await launched(
                nested, await task_on(nested, forge), tmp_path / "again", environment=block
            )
            forwarded = await again.git_sees()
            ended += await again.runs(COMMIT, "git push --quiet origin HEAD")
            await choose(nested, "executor")
            repository = await nested.repository({"clone_url": forge.url("acme/app")})
            last = await launched(nested, await nested.task(repository), tmp_path / "last")
            own = await last.environment()

    assert seen[:2] == [hook, STRATEGY]
    assert "x.y" not in {entry.key for entry in seen}
    assert STRAY.keys().isdisjoint(inherited)
    assert [entry.key for entry in forwarded] == [entry.key for entry in seen]
    assert forwarded[:2] == seen[:2]
    assert ended == ["complete"] * 3
    ours = {name for name in own if name.startswith("KANDEV_")}
    assert ours == {"KANDEV_TASK_ID", "KANDEV_SESSION_ID", "KANDEV_EXECUTION_ID"}
    assert {name: own[name] for name in own.keys() - ours} == {
        name: value
        for name, value in outer.environment.items()
        if not name.startswith("KANDEV_") and name not in STRAY
    }
    assert marker.read_text("utf-8").split() == ["ran"] * 2


@requirement("git-config:boundary:refused")
async def test_a_missing_value_is_told_by_its_index_and_without_any_value(
    tmp_path: Path, forge: Forge
) -> None:
    block = git_config.serialize([Entry("a.b", "planted"), Entry("planted.key", "planted")])
    del block["GIT_CONFIG_VALUE_1"]
    installation = Installation(tmp_path / "home", block)
    async with installation.server() as kandev:
        task = await task_on(kandev, forge)
        with pytest.raises(ApiError) as refused:
            await kandev.launch(task)
        sessions = await kandev.client.get(f"/api/v1/tasks/{task}/sessions")

    assert refused.value.code == "malformed_environment"
    assert refused.value.detail.startswith("host: GIT_CONFIG_VALUE_1 (entry 1)")
    assert "planted" not in str(refused.value)
    assert (sessions[0]["failure"]["code"], "planted" in str(sessions)) == (
        "malformed_environment",
        False,
    )


@requirement("git-config:launched:inherited-repository")
async def test_the_repository_that_the_server_was_started_in_is_never_touched(
    tmp_path: Path, checkout: Path
) -> None:
    victim = tmp_path / "victim"
    git("clone", "--quiet", str(checkout), str(victim), at=tmp_path)
    (victim / "README.md").write_text("edited\n", encoding="utf-8")
    (victim / "untracked").write_text("mine\n", encoding="utf-8")
    redirects = {"GIT_DIR": str(victim / ".git"), "GIT_WORK_TREE": str(victim)}
    before = state(victim)

    async with Installation(tmp_path / "home", redirects).server() as kandev:
        await kandev.workspace_of()
        task = await kandev.task(await kandev.repository({"local_path": str(checkout)}))
        agent = await launched(kandev, task, tmp_path / "told")
        environment = await agent.environment()
        ended = await agent.runs(COMMIT)
        metadata = (await kandev.session(agent.session))["metadata"]
        await kandev.stop(agent.session)
        await kandev.client.delete(f"/api/v1/tasks/{task}")

    assert ended == ["complete"]
    assert environment.keys().isdisjoint(redirects)
    assert metadata["removed_variables"] == ["GIT_DIR", "GIT_WORK_TREE"]
    assert state(victim) == before


def state(repository: Path) -> dict[str, str]:
    """All that a stray git could have changed."""
    index = (repository / ".git/index").read_bytes()
    return {
        "head": git("rev-parse", "HEAD", at=repository),
        "references": git("for-each-ref", at=repository),
        "worktrees": git("worktree", "list", at=repository),
        "index": hashlib.sha256(index).hexdigest(),
        "edited": (repository / "README.md").read_text("utf-8"),
        "untracked": (repository / "untracked").read_text("utf-8"),
    }
