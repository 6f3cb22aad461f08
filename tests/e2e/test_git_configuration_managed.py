"""A session that pushes with a lease on a host whose git is configured already."""

import shlex
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from domain import git_config
from domain.git_config import Entry
from tests.e2e.agent import Agent, launched
from tests.e2e.conftest import TOKEN, git
from tests.e2e.connected import AUTHOR, choose, connect
from tests.e2e.kandev import Driver, Installation
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

STRATEGY = Entry("notes.augment.mergestrategy", "union")
SAFE = Entry("safe.directory", "/somewhere/else")


class Host:
    """A machine whose git has hooks, a helper and a bundle of certificates before Kandev comes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.hook_log, self.helper_log = folder / "hook.log", folder / "helper.log"
        self.start_log, self.folder = folder / "start.log", folder
        hook = f"git config notes.augment.mergeStrategy >> {quoted(self.hook_log)}"
        self.hooks = Entry("core.hookspath", str(program(folder / "hooks", "pre-commit", hook)))
        helper = f"echo $1 >> {quoted(self.helper_log)}; echo username=a; echo password=ambient"
        self.helper = program(folder / "bin", "ambient-helper", helper) / "ambient-helper"
        self.start = program(folder / "start", "bash-env", f"echo x >> {quoted(self.start_log)}")

    def environment(self, *entries: Entry) -> dict[str, str]:
        helper = Entry("credential.helper", str(self.helper))
        return {
            **git_config.serialize((helper, *entries, self.hooks, STRATEGY)),
            "GIT_SSL_CAINFO": "/etc/ssl/certs/ca-certificates.crt",
            "BASH_ENV": str(self.start / "bash-env"),
            "SSH_ASKPASS": "/no/askpass",
            "GITEA_TOKEN": "ambient-token",
        }


def program(directory: Path, name: str, body: str) -> Path:
    directory.mkdir()
    file = directory / name
    file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return directory


def quoted(path: Path) -> str:
    return shlex.quote(str(path))


def rewrites(forge: Forge) -> tuple[Entry, ...]:
    key = f"url.https://{forge.host}/.insteadof"
    return (Entry(key, "git@forge.example:"), Entry(key, "ssh://git@forge.example/"))


async def task_on(kandev: Driver, forge: Forge) -> str:
    return await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))


def pushed(forge: Forge, user: str) -> list[str]:
    return [
        each.path
        for each in forge.seen()
        if (each.service, each.user, each.accepted) == ("git-receive-pack", user, True)
    ]


@requirement("git-config:launched:push")
@requirement("git-config:managed:certificates")
async def test_a_commit_and_a_push_keep_what_the_host_configured_and_ask_the_managed_helper(
    tmp_path: Path, forge: Forge
) -> None:
    host = Host(tmp_path / "host")
    container = (SAFE, *rewrites(forge))
    installation = Installation(tmp_path / "home", host.environment(*container))
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        agent = await launched(kandev, await task_on(kandev, forge), tmp_path / "told")
        seen = await agent.git_sees()
        ended = await agent.runs(
            f"touch made && git add --all && {AUTHOR} commit --quiet -m Make",
            "git push --quiet origin HEAD:refs/heads/by-name",
            "git push --quiet git@forge.example:acme/app.git HEAD:refs/heads/by-scp",
            "git push --quiet ssh://git@forge.example/acme/app.git HEAD:refs/heads/by-ssh",
        )
        head = git("rev-parse", "HEAD", at=await worktree(kandev, agent))

    scope = f"https://{forge.host}"
    inherited = [Entry("credential.helper", str(host.helper)), *container, host.hooks, STRATEGY]
    assert seen[: len(inherited)] == inherited
    assert [entry.key for entry in seen[len(inherited) :]] == [
        f"credential.{scope}.usehttppath",
        "http.sslcainfo",
        f"http.{scope}.sslcainfo",
        *[f"credential.{scope}.helper"] * 3,
    ]
    assert ended == ["complete"] * 4
    bare = forge.root / "acme/app.git"
    for branch in ("by-name", "by-scp", "by-ssh"):
        assert git("rev-parse", f"refs/heads/{branch}", at=bare) == head
    assert pushed(forge, "robot")
    assert host.hook_log.read_text("utf-8").split() == ["union"]
    assert not host.helper_log.exists()


async def worktree(kandev: Driver, agent: Agent) -> Path:
    return Path((await kandev.session(agent.session))["metadata"]["workspace"])


def lasting(environment: dict[str, str]) -> dict[str, str]:
    """Less what names the execution, its socket and its tools, which are new each time."""
    tools = environment.get("KANDEV_TOOLS_DIR", "/no/tools")
    new = {"KANDEV_EXECUTION_ID", "KANDEV_BROKER_SOCKET", "KANDEV_TOOLS_DIR"}
    return {
        name: value.replace(tools, "TOOLS").replace(environment["KANDEV_EXECUTION_ID"], "EXECUTION")
        for name, value in environment.items()
        if name not in new
    }


@requirement("git-config:launched:alike")
async def test_a_resume_in_another_server_composes_the_same_environment(
    tmp_path: Path, forge: Forge
) -> None:
    host = Host(tmp_path / "host")
    installation = Installation(tmp_path / "home", host.environment())
    chosen = {"CHOSEN": "yes", **git_config.serialize([Entry("x.one", "1")])}
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        task = await task_on(kandev, forge)
        agent = await launched(kandev, task, tmp_path / "told", environment=chosen)
        first = await agent.environment()
        await kandev.stop(agent.session)
        again = await resumed(kandev, agent, environment=chosen)
        second = await again.environment()
    async with installation.server() as kandev:
        restarted = await resumed(kandev, again, environment=chosen)
        third = await restarted.environment()

    assert first["KANDEV_EXECUTION_ID"] != second["KANDEV_EXECUTION_ID"]
    assert lasting(first) == lasting(second) == lasting(third)


async def resumed(kandev: Driver, agent: Agent, **options: object) -> Agent:
    """The session's agent again; what it said before is not waited for."""
    await kandev.until_state(agent.session, "stopped")
    await kandev.client.post(f"/api/v1/sessions/{agent.session}/resume", dict(options))
    return Agent(kandev, agent.session, agent.folder, agent.seen)


@requirement("git-config:launched:switched")
async def test_a_session_that_leaves_managed_access_loses_exactly_what_it_was_given(
    tmp_path: Path, forge: Forge
) -> None:
    host = Host(tmp_path / "host")
    installation = Installation(tmp_path / "home", host.environment(*rewrites(forge)))
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        agent = await launched(kandev, await task_on(kandev, forge), tmp_path / "told")
        managed = await agent.environment()
        taken = (await kandev.session(agent.session))["metadata"]["removed_variables"]
        await kandev.stop(agent.session)
        await choose(kandev, "executor")
        left = await resumed(kandev, agent)
        own = await left.environment()
        kept = (await kandev.session(agent.session))["metadata"]
        await kandev.stop(agent.session)
        await choose(kandev, "managed")
        back = await (await resumed(kandev, left)).environment()

    identity = {"KANDEV_TASK_ID", "KANDEV_SESSION_ID", "KANDEV_EXECUTION_ID"}
    inherited = installation.environment.items()
    expected = {name: value for name, value in inherited if not name.startswith("KANDEV_")}
    assert own == expected | {name: own[name] for name in identity}
    assert kept["removed_variables"] == []
    assert kept["git_credential_snapshot"]["source"] == "executor"
    assert taken == ["GITEA_TOKEN", "GIT_SSL_CAINFO", "SSH_ASKPASS"]
    assert lasting(back) == lasting(managed)
