"""Pushes that are seen, and what they are matched with: through whole processes."""

from pathlib import Path
from typing import Any

import pytest

from adapters.forge.forge import Forge
from tests.e2e.agent import launched
from tests.e2e.conftest import TOKEN
from tests.e2e.connected import AUTHOR, connect
from tests.e2e.kandev import Driver, Installation
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

AROUND = "git -c credential.helper= -c credential.helper='!f() { echo username=own; echo password=%s; }; f'"


async def pushes(kandev: Driver, session: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = await kandev.client.get(
        f"/api/v1/ledger?session_id={session}&operation=push"
    )
    return entries


@requirement("ledger:push")
async def test_a_push_is_matched_with_its_redemption_and_one_without_is_outside_the_lease(
    installation: Installation, forge: Forge, tmp_path: Path
) -> None:
    commit = f"touch $(date +%N) && git add --all && {AUTHOR} commit -qm work"
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        repository = await kandev.repository({"clone_url": forge.url("acme/app")})
        agent = await launched(kandev, await kandev.task(repository), tmp_path / "a")
        other = await launched(kandev, await kandev.task(repository), tmp_path / "b")
        ended = await agent.runs(*[commit, "git push --quiet origin HEAD"] * 2)
        ended += await agent.runs(commit, f"{AROUND % TOKEN} push --quiet origin HEAD")
        ended += await agent.runs(commit, f"git push --quiet {forge.url('acme/app')} HEAD")
        ended += await other.runs("git push --quiet origin HEAD HEAD:refs/heads/second")
        session = await kandev.session(agent.session)
        redemptions = await kandev.client.get(
            f"/api/v1/ledger?session_id={agent.session}&operation=redeem"
        )
        _, text, _ = await installation.command("doctor", "credentials", "--session", agent.session)
        seen, of_other = await pushes(kandev, agent.session), await pushes(kandev, other.session)

    assert ended == ["complete"] * 9
    branch = next(iter(session["metadata"]["branches"].values()))
    told = [(each["result"], each["detail"], each["actor"], each["redemption"]) for each in seen]
    ref = f"refs/remotes/origin/{branch}"
    assert told == [
        ("matched", ref, "robot", redemptions[0]["sequence"]),
        ("matched", ref, "robot", redemptions[1]["sequence"]),
        ("outside_lease", ref, None, None),
    ]
    assert [each["result"] for each in of_other] == ["matched"]
    assert session["metadata"]["git_pushes"] == {
        "matched": 2,
        "outside_lease": 1,
        "ambiguous": 0,
        "not_seen": ["by_url"],
    }
    assert "2 matched with a redemption, 1 outside the lease, 0 ambiguous" in text
