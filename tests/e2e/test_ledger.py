"""What is written down of a session's leases, and what ends them: through whole processes."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from adapters.forge.forge import Forge
from composition.client import ApiError
from tests.e2e.conftest import TOKEN
from tests.e2e.connected import connect, outcomes, push, reconnect, shown
from tests.e2e.kandev import Driver, Installation
from tests.e2e.test_conversation import processes_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


def told(entries: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(each["operation"], each["result"], each["detail"]) for each in entries]


@requirement("ledger:entry")
@requirement("ledger:no-value")
@requirement("ledger:export")
@requirement("ledger:filter")
async def test_a_session_is_written_down_from_its_lease_to_its_end(
    installation: Installation, forge: Forge
) -> None:
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
        session = (await kandev.launch(task))["id"]
        first = await kandev.turn(session, push("one"))
        forge.token = "rotated-token-0123456789abcdef"
        await reconnect(kandev, forge, forge.token)
        second = await kandev.turn(session, push("two"), first[-1]["sequence"])
        await kandev.stop(session)
        entries = await kandev.client.get(f"/api/v1/ledger?session_id={session}")
        page = await kandev.client.get(f"/api/v1/ledger?after={entries[0]['sequence']}&limit=2")
        _, lines, _ = await installation.command("ledger", "--format", "jsonl", "--task", task)
        _, sheet, _ = await installation.command("ledger", "--format", "csv")
        code, table, _ = await installation.command("ledger", "--operation", "revoke")

    assert (outcomes(first), outcomes(second)) == (["complete"] * 2, ["complete"] * 2)
    assert [each for each in told(entries) if each[0] != "push"] == [
        ("issue", "granted", ""),
        ("redeem", "granted", ""),
        ("revoke", "revoked", "connection_replaced"),
        ("issue", "granted", "reissued"),
        ("redeem", "granted", ""),
        ("revoke", "revoked", "session_stopped"),
    ]
    pushed = [each for each in entries if each["operation"] == "push"]
    redeemed_by = [each["sequence"] for each in entries if each["operation"] == "redeem"]
    assert [(each["result"], each["redemption"]) for each in pushed] == [
        ("matched", redeemed_by[0]),
        ("matched", redeemed_by[1]),
    ]
    for each in entries:
        assert (each["host"], each["path"], each["actor"]) == (forge.host, "/acme/app", "robot")
        assert (each["task_id"], each["workspace_id"]) == (task, kandev.workspace)
    redeemed = next(each for each in entries if each["operation"] == "redeem")
    assert redeemed["descent"] == "inside"
    assert redeemed["pid"] > 0
    assert [each["sequence"] for each in page] == [each["sequence"] for each in entries[1:3]]
    assert [json.loads(line) for line in lines.splitlines()] == entries
    assert [row["at"] for row in csv.DictReader(io.StringIO(sheet, newline=""))] == [
        each["at"] for each in entries
    ]
    assert code == 0
    assert table.count("revoked (") == 2
    for text in (shown(entries), lines, sheet):
        assert "kdl_" not in text
        assert "kdc_" not in text
        assert "token-0123456789abcdef" not in text


async def begun(kandev: Driver, forge: Forge, *names: str) -> tuple[str, str, list[str]]:
    """A session on a task with these repositories: the task, the session, the repositories."""
    await connect(kandev, forge, TOKEN)
    repositories = [await kandev.repository({"clone_url": forge.url(name)}) for name in names]
    body = {
        "workspace_id": kandev.workspace,
        "prompt": "Work.",
        "repositories": [{"repository_id": each} for each in repositories],
    }
    task = str((await kandev.client.post("/api/v1/tasks", body))["id"])
    session = str((await kandev.launch(task))["id"])
    return task, session, repositories


@requirement("lease:end:task")
@pytest.mark.parametrize("how", ["archived", "deleted", "workspace"])
async def test_a_task_that_goes_takes_its_leases_and_its_agent_with_it(
    installation: Installation, forge: Forge, how: str
) -> None:
    async with installation.server() as kandev:
        task, session, _ = await begun(kandev, forge, "acme/app")
        assert processes_of(session) != []
        match how:
            case "archived":
                archived = await kandev.client.post(f"/api/v1/tasks/{task}/archive")
                assert archived["state"] == "archived"
                await kandev.until_state(session, "stopped")
                with pytest.raises(ApiError) as refused:
                    await kandev.client.post(f"/api/v1/sessions/{session}/resume", {})
                assert refused.value.code == "task_archived"
                detail = "task_archived"
            case "deleted":
                await kandev.client.delete(f"/api/v1/tasks/{task}")
                with pytest.raises(ApiError) as gone:
                    await kandev.session(session)
                assert gone.value.code == "session_not_found"
                detail = "task_deleted"
            case _:
                await kandev.client.delete(f"/api/v1/workspaces/{kandev.workspace}")
                with pytest.raises(ApiError) as gone:
                    await kandev.client.get(f"/api/v1/workspaces/{kandev.workspace}")
                assert gone.value.code == "workspace_not_found"
                detail = "workspace_deleted"
        assert processes_of(session) == []
        entries = await kandev.client.get(f"/api/v1/ledger?session_id={session}")

    assert told(entries)[-1] == ("revoke", "revoked", detail)
    assert [each[2] for each in told(entries) if each[0] == "revoke"] == [detail]


@requirement("lease:end:repository")
async def test_a_repository_that_leaves_the_task_gets_no_credential_any_more(
    installation: Installation, forge: Forge, tmp_path: Path
) -> None:
    async with installation.server() as kandev:
        task, session, (app, other) = await begun(kandev, forge, "acme/app", "acme/other")
        before = await kandev.turn(session, push("one", "app"))
        left = await kandev.client.delete(f"/api/v1/tasks/{task}/repositories/{app}")
        await kandev.client.post(f"/api/v1/sessions/{session}/resume", {})
        rest = await kandev.turn(session, push("one"), before[-1]["sequence"])
        with pytest.raises(ApiError) as last:
            await kandev.client.delete(f"/api/v1/tasks/{task}/repositories/{other}")
        with pytest.raises(ApiError) as absent:
            await kandev.client.delete(f"/api/v1/tasks/{task}/repositories/{app}")
        entries = await kandev.client.get(f"/api/v1/ledger?repository_id={app}")

    assert [each["repository_id"] for each in left["repositories"]] == [other]
    assert outcomes(before) == ["complete", "complete"]
    assert outcomes(rest) == ["complete", "complete"]
    assert last.value.code == "no_repository"
    assert absent.value.code == "repository_not_found"
    assert told(entries)[-1] == ("revoke", "revoked", "repository_detached")
    assert list((installation.home / "tasks" / task).iterdir()) == [
        installation.home / "tasks" / task / "other"
    ]
