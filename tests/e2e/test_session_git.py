"""A person commits and pushes in a launched session, through agentctl."""

from pathlib import Path
from typing import Any

import pytest

from adapters.forge.forge import Forge
from domain import git_config
from tests.e2e.agent import launched
from tests.e2e.conftest import TOKEN, git
from tests.e2e.connected import connect
from tests.e2e.kandev import Installation
from tests.e2e.test_git_configuration_managed import SAFE, Host, pushed, quoted, rewrites, task_on
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

AUTHOR = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@localhost",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@localhost",
}


@requirement("session-git:change")
@requirement("git-config:launched:push")
async def test_a_commit_and_a_push_of_a_person_are_as_the_agents_own(
    tmp_path: Path, forge: Forge
) -> None:
    host = Host(tmp_path / "host")
    seen = tmp_path / "seen"
    hook = host.folder / "hooks" / "pre-commit"
    hook.write_text(f"{hook.read_text('utf-8')}git config --list -z > {quoted(seen)}\n", "utf-8")
    container = (SAFE, *rewrites(forge))
    environment = host.environment(*container) | AUTHOR
    installation = Installation(tmp_path / "home", environment)
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        agent = await launched(kandev, await task_on(kandev, forge), tmp_path / "told")
        tree = Path((await kandev.session(agent.session))["metadata"]["workspace"])
        (tree / "made").write_text("made\n", encoding="utf-8")

        async def does(operation: str, **body: object) -> Any:
            path = f"/api/v1/sessions/{agent.session}/git/{operation}"
            return await kandev.client.post(path, body)

        await does("stage")
        committed = await does("commit", message="Make")
        await does("push")
        status = await kandev.client.get(f"/api/v1/sessions/{agent.session}/git/status")
        [added] = await kandev.client.get(
            f"/api/v1/sessions/{agent.session}/git/log?base=origin/main"
        )
        (tree / "made").write_text("thrown away\n", encoding="utf-8")
        discarded = await does("discard")
        files = f"/api/v1/sessions/{agent.session}/files"
        seen_file = await kandev.client.get(f"{files}/content?path=made")
        await kandev.client.put(
            f"{files}/content",
            {"path": "made", "content": "by hand\n", "replaces": seen_file["digest"]},
        )
        found = await kandev.client.get(f"{files}/search?text=by%20hand")
        listed_names = [each["name"] for each in (await kandev.client.get(files))["entries"]]
        kept = git("show", f"{discarded['kept']}:made", at=tree)

    branch = status["branch"]
    bare = forge.root / "acme/app.git"
    assert git("rev-parse", f"refs/heads/{branch}", at=bare) == committed["commit"]
    assert (status["ahead"], status["behind"], status["changed"]) == (0, 0, [])
    assert (added["commit"], added["author"], added["message"]) == (
        committed["commit"],
        "Ada",
        "Make",
    )
    assert kept == "thrown away"
    assert seen_file["content"] == "made\n"
    assert (tree / "made").read_text("utf-8") == "by hand\n"
    assert found["matches"] == [{"path": "made", "line": 1, "text": "by hand"}]
    assert listed_names == ["README.md", "made"]

    # The host's hook ran, with the host's strategy and all that a container's parent had set.
    assert host.hook_log.read_text("utf-8").split() == ["union"]
    listed = [tuple(each.split("\n", 1)) for each in seen.read_text("utf-8").split("\0") if each]
    inherited = [(each.key, each.value) for each in git_config.parse(environment).unwrap()]
    start = listed.index(inherited[0])
    assert listed[start : start + len(inherited)] == inherited
    # The managed helper was asked, the host's own was not.
    assert pushed(forge, "robot")
    assert not host.helper_log.exists()
