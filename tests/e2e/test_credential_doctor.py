"""The doctor of a session's credentials: real git, real helpers, through whole processes."""

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.forge.forge import Forge
from composition.client import ApiError
from tests.e2e.conftest import TOKEN
from tests.e2e.connected import connect, shown
from tests.e2e.kandev import Driver, Installation
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

SNIPPET = "!f() { echo username=ambient; echo password=ambient-secret-0123456789; }; f"


@pytest.fixture(autouse=True)
def planted(installation: Installation) -> Path:
    """A helper of the user's that answers for every host, and none of this machine's."""
    installation.environment["GIT_CONFIG_NOSYSTEM"] = "1"
    config = installation.home / ".gitconfig"
    config.write_text(f'[credential]\n\thelper = "{SNIPPET}"\n', encoding="utf-8")
    return config


async def session_of(kandev: Driver, forge: Forge) -> str:
    task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
    return str((await kandev.launch(task))["id"])


async def examined(kandev: Driver, session: str) -> dict[str, Any]:
    report: dict[str, Any] = await kandev.client.get(
        f"/api/v1/sessions/{session}/credential-doctor"
    )
    return report


def fates(report: dict[str, Any]) -> list[tuple[str, str]]:
    [repository] = report["repositories"]
    return [(each["name"], each["fate"]) for each in repository["helpers"]]


@requirement("doctor:chain")
@requirement("doctor:verdict")
@requirement("doctor:no-value")
async def test_who_answers_is_told_and_then_that_the_managed_helper_fails(
    installation: Installation, forge: Forge
) -> None:
    async with installation.server() as kandev:
        workspace = await connect(kandev, forge, TOKEN)
        session = await session_of(kandev, forge)
        fine = await examined(kandev, session)
        code, output, _ = await installation.command(
            "doctor", "credentials", "--session", session, "--json"
        )
        path = f"/api/v1/workspaces/{workspace}/connections"
        [connection] = await kandev.client.get(path)
        await kandev.client.delete(f"{path}/{connection['id']}")
        broken = await examined(kandev, session)
        failing, text, _ = await installation.command("doctor", "credentials", "--session", session)
        entries = await kandev.client.get(f"/api/v1/ledger?session_id={session}")

    assert fine["repositories"][0]["verdict"] == "managed_helper"
    assert fates(fine) == [
        ("a shell snippet", "reset_by_a_later_entry"),
        ("git-credential-kandev", "answered"),
        ("stop", "not_reached"),
    ]
    assert fine["snapshot"]["actor"] == "robot"
    assert (code, json.loads(output)["repositories"]) == (0, fine["repositories"])
    assert broken["repositories"][0]["verdict"] == "managed_helper_failed"
    assert ("a shell snippet", "reset_by_a_later_entry") in fates(broken)
    assert failing == 1
    assert "managed_helper_failed" in text
    assert {each["result"] for each in entries if each["operation"] == "redeem"} >= {"granted"}
    for told in (shown(fine), shown(broken), output, text):
        assert TOKEN not in told
        assert "ambient-secret" not in told


@requirement("doctor:chain")
@requirement("doctor:verdict")
async def test_under_the_executor_the_users_own_helper_answers_or_is_missed(
    installation: Installation, forge: Forge, planted: Path
) -> None:
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN, "executor")
        session = await session_of(kandev, forge)
        answered = await examined(kandev, session)
        planted.write_text("", encoding="utf-8")
        missing = await examined(kandev, session)
        await kandev.stop(session)
        with pytest.raises(ApiError) as over:
            await examined(kandev, session)

    assert answered["repositories"][0]["verdict"] == "another_helper"
    assert fates(answered) == [("a shell snippet", "answered")]
    assert answered["snapshot"]["source"] == "executor"
    assert missing["repositories"][0]["verdict"] == "executor_credential_missing"
    assert over.value.code == "no_instance"


@requirement("doctor:channels")
async def test_what_goes_around_is_named(installation: Installation, forge: Forge) -> None:
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        session = await session_of(kandev, forge)
        before = await examined(kandev, session)
        host = forge.host.partition(":")[0]
        (installation.home / ".netrc").write_text(f"machine {host} login a password b\n")
        after = await examined(kandev, session)

    assert "netrc" not in {each["channel"] for each in before["channels"]}
    assert "netrc" in {each["channel"] for each in after["channels"]}
