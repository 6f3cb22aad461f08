"""The machine's real `gh` behind the shim: whose token it shows, and who else ever has it."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.agent import launched
from tests.e2e.conftest import TOKEN
from tests.e2e.connected import connect
from tests.e2e.kandev import Installation
from tests.e2e.scanning import files_holding, processes_holding
from tests.fakes.github import FakeGithub
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


@pytest.fixture
def github(tmp_path: Path) -> Iterator[FakeGithub]:
    with FakeGithub(tmp_path / "github") as running:
        running.create("acme/app", {"README.md": "# App\n"})
        running.token = TOKEN
        yield running
        running.release_users()


@requirement("managed:real-gh")
async def test_a_real_gh_asks_with_the_lease_and_is_the_only_process_that_shows_the_token(
    installation: Installation, github: FakeGithub, ambient: Path, tmp_path: Path
) -> None:
    authority = tmp_path / "authority.pem"
    authority.write_text(github.authority)
    async with installation.server() as kandev:
        await connect(kandev, github, TOKEN)
        task = await kandev.task(await kandev.repository({"clone_url": github.url("acme/app")}))
        agent = await launched(
            kandev, task, tmp_path / "a", environment={"SSL_CERT_FILE": str(authority)}
        )
        github.hold_users()
        asking = asyncio.create_task(agent.runs(f"gh api user > {agent.folder}/user"))
        held = await asyncio.to_thread(github.wait_for_user, 40.0)
        during = (processes_holding(), files_holding(installation.home))
        github.release_users()
        asked = await asking
        after = (processes_holding(), files_holding(installation.home))
        [tools] = (installation.home / "tools").iterdir()
        left = [each.name for each in tools.iterdir() if each.is_dir()]
        entries = await kandev.client.get(f"/api/v1/ledger?session_id={agent.session}")

    assert held
    assert asked == ["complete"]
    assert json.loads((agent.folder / "user").read_text()) == {"login": "robot"}
    assert during == ([("gh", "environ")], [])
    assert (after, left) == (([], []), [])
    assert [each["operation"] for each in entries] == ["issue", "redeem"]
    assert not ambient.exists(), "an ambient program was asked"
