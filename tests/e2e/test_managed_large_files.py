"""Large files of a managed session: git-lfs asks as git does, and is stopped where it would not stop."""

import hashlib
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from domain.refusal_loop import MAX_AGAIN
from tests.e2e.agent import launched
from tests.e2e.conftest import TOKEN
from tests.e2e.connected import AUTHOR, connect
from tests.e2e.kandev import Installation
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


@requirement("managed:large-files")
@requirement("broker:socket:loop")
async def test_git_lfs_pushes_and_fetches_and_is_stopped_when_its_secret_is_refused(
    installation: Installation, forge: Forge, ambient: Path, tmp_path: Path
) -> None:
    content = "large\n" * 50_000
    source = tmp_path / "source"
    source.write_text(content)
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
        agent = await launched(kandev, task, tmp_path / "a")
        pushed = await agent.runs(
            "git lfs install --local",
            f"git lfs track '*.bin' && cp {source} big.bin && git add --all",
            f"{AUTHOR} commit -qm big && git push --quiet origin HEAD",
        )
        before = len(forge.seen())
        fetched = await agent.runs(
            'rm -r "$(git rev-parse --git-common-dir)/lfs/objects" big.bin && git lfs fetch',
            f"git checkout big.bin && cmp big.bin {source}",
        )
        forge.token, then = "another-token-0123456789abcdef", len(forge.seen())
        refused = await agent.runs(
            'rm -r "$(git rev-parse --git-common-dir)/lfs/objects"; git lfs fetch'
        )

    oid = hashlib.sha256(content.encode()).hexdigest()
    assert pushed == ["complete"] * 3
    assert (forge.root / "acme/app.git/lfs/objects" / oid).read_text() == content
    assert fetched == ["complete"] * 2
    assert any(each.path.endswith(f"/{oid}") and each.accepted for each in forge.seen()[before:])
    assert refused == ["error"]
    tries = [each for each in forge.seen()[then:] if each.user == "robot"]
    assert len(tries) <= MAX_AGAIN
    assert {each.user for each in forge.seen()} == {None, "robot"}
    assert not ambient.exists(), "an ambient program was asked"
