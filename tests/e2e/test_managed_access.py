"""Managed access as a whole: what is never found, what never answers, and what goes on."""

import asyncio
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from composition.client import ApiError
from tests.e2e.conftest import TOKEN, git
from tests.e2e.connected import connect, outcomes, push, shown
from tests.e2e.kandev import Driver, Installation, call, script
from tests.e2e.scanning import files_holding, holds, processes_holding
from tests.e2e.test_serve_command import served
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


async def session_of(kandev: Driver, forge: Forge) -> str:
    task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
    return str((await kandev.launch(task))["id"])


@requirement("managed:secret-nowhere")
async def test_no_token_and_no_lease_is_found_outside_of_memory(
    installation: Installation, forge: Forge, tmp_path: Path
) -> None:
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        session = await session_of(kandev, forge)
        forge.hold_pushes()
        await kandev.prompt(session, push("one"))
        held = await asyncio.to_thread(forge.wait_for_push, 40.0)
        during = (processes_holding(), files_holding(installation.home))
        forge.release_pushes()
        events = await kandev.until(session, "complete")
        said = await kandev.turn(session, script(call("run", "env; set")), events[-1]["sequence"])
        answers = [
            await kandev.client.get(path)
            for path in (
                f"/api/v1/sessions/{session}",
                f"/api/v1/sessions/{session}/turns",
                f"/api/v1/sessions/{session}/git-configuration",
                f"/api/v1/sessions/{session}/credential-doctor",
                f"/api/v1/workspaces/{kandev.workspace}/connections",
                f"/api/v1/github/workspace-settings?workspace_id={kandev.workspace}",
                "/api/v1/ledger",
            )
        ]
        with closing(sqlite3.connect(installation.home / "kandev.db")) as database:
            stored = "\n".join(database.iterdump()).encode()
        decoy = installation.home / "tasks" / "decoy"
        decoy.write_text(f"a lease: kdl_{'x' * 43}\n")
        finds = files_holding(installation.home)

    assert held
    assert outcomes(events) == ["complete", "complete"]
    assert during == ([], [])
    assert not holds(shown([events, said, answers]).encode())
    assert not holds(stored)
    assert finds == ["decoy"]


@requirement("managed:fails-closed")
@pytest.mark.parametrize("taken", ["helper", "socket", "connection"])
async def test_nothing_ambient_answers_in_place_of_what_was_taken_away(
    installation: Installation, forge: Forge, ambient: Path, taken: str
) -> None:
    ways = {
        "helper": 'rm "$KANDEV_TOOLS_DIR/git-credential-kandev"',
        "socket": 'rm "$KANDEV_BROKER_SOCKET"',
        "connection": "true",
    }
    async with installation.server() as kandev:
        workspace = await connect(kandev, forge, TOKEN)
        session = await session_of(kandev, forge)
        before = await kandev.turn(session, push("one"))
        after = await kandev.turn(session, script(call("run", ways[taken])), before[-1]["sequence"])
        if taken == "connection":
            path = f"/api/v1/workspaces/{workspace}/connections"
            [connection] = await kandev.client.get(path)
            await kandev.client.delete(f"{path}/{connection['id']}")
        refused = await kandev.turn(session, push("two"), after[-1]["sequence"])

    assert outcomes(before) == ["complete", "complete"]
    assert outcomes(refused) == ["complete", "error"]
    assert {each.user for each in forge.seen()} <= {None, "robot"}
    assert not ambient.exists(), "an ambient program was asked"


@requirement("managed:submodule")
async def test_a_submodule_on_another_host_is_fetched_with_the_users_own_helper(
    installation: Installation, forge: Forge, tmp_path: Path
) -> None:
    with Forge(tmp_path / "second", "second-token-0123456789") as second:
        second.create("lib/code", {"lib.txt": "shared\n"})
        authority = tmp_path / "second.pem"
        authority.write_text(second.authority)
        helper = "!f() { echo username=own; echo password=second-token-0123456789; }; f"
        (installation.home / ".gitconfig").write_text(
            f'[credential]\n\thelper = "{helper}"\n'
            f'[http "https://{second.host}"]\n\tsslCAInfo = {authority}\n'
        )
        async with installation.server() as kandev:
            await connect(kandev, forge, TOKEN)
            session = await session_of(kandev, forge)
            add = f"git submodule --quiet add {second.url('lib/code')} lib && cat lib/lib.txt"
            added = await kandev.turn(session, script(call("run", add)))
            pushed = await kandev.turn(session, push("one"), added[-1]["sequence"])

    assert outcomes(added) == ["complete"]
    assert outcomes(pushed) == ["complete", "complete"]
    assert {each.user for each in second.seen()} == {None, "own"}
    assert {each.user for each in forge.seen()} == {None, "robot"}


@requirement("managed:restart")
async def test_a_session_pushes_again_after_the_control_plane_was_killed_and_started_anew(
    installation: Installation, forge: Forge, ambient: Path
) -> None:
    async with served(installation) as server:
        await connect(server.driver, forge, TOKEN)
        session = await session_of(server.driver, forge)
        before = await server.driver.turn(session, push("one"))
        _, *pushing = push("two").split("\n")
        await server.driver.prompt(session, script(call("wait_for_file", "go"), *pushing))
        workspace = (await server.driver.session(session))["metadata"]["workspace"]
        await server.end(signal.SIGKILL)

    Path(workspace, "go").touch()
    async with served(installation) as server:
        after = await server.driver.until(session, "complete", before[-1]["sequence"])
        entries = await server.driver.client.get(f"/api/v1/ledger?session_id={session}")
        await server.end(signal.SIGINT)

    assert outcomes(before) == ["complete", "complete"]
    assert outcomes(after) == ["complete", "complete"]
    told = [(each["operation"], each["result"]) for each in entries]
    assert told == [("issue", "granted"), *[("redeem", "granted"), ("push", "matched")] * 2]
    assert {each.user for each in forge.seen()} == {None, "robot"}
    assert not ambient.exists(), "an ambient program was asked"


@requirement("managed:killed-agentctl")
async def test_a_session_whose_agentctl_was_killed_is_over_and_pushes_again_once_it_is_resumed(
    installation: Installation, forge: Forge, ambient: Path
) -> None:
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        session = await session_of(kandev, forge)
        before = await kandev.turn(session, push("one"))
        installation.kill_agentctl()
        over = await kandev.until_state(session, "stopped")
        with pytest.raises(ApiError) as refused:
            await kandev.prompt(session, push("two"))
        resumed = await kandev.client.post(f"/api/v1/sessions/{session}/resume", {})
        after = await kandev.turn(session, push("two"), before[-1]["sequence"])
        entries = await kandev.client.get(f"/api/v1/ledger?session_id={session}")

    assert outcomes(before) == ["complete", "complete"]
    assert refused.value.code == "session_state"
    assert resumed["execution_id"] != over["execution_id"]
    assert outcomes(after) == ["complete", "complete"]
    told = [(each["execution_id"], each["operation"], each["result"]) for each in entries]
    assert told == [
        (over["execution_id"], "issue", "granted"),
        (over["execution_id"], "redeem", "granted"),
        (over["execution_id"], "push", "matched"),
        (over["execution_id"], "revoke", "revoked"),
        (resumed["execution_id"], "issue", "granted"),
        (resumed["execution_id"], "redeem", "granted"),
        (resumed["execution_id"], "push", "matched"),
    ]
    assert {each.user for each in forge.seen()} == {None, "robot"}
    assert not ambient.exists(), "an ambient program was asked"


@requirement("managed:own-configuration")
async def test_a_task_leaves_the_users_configuration_and_the_repositorys_as_they_were(
    installation: Installation, forge: Forge, checkout: Path
) -> None:
    own, of_repository = installation.home / ".gitconfig", checkout / ".git" / "config"
    own.write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n[core]\n\tautocrlf = input\n")
    with of_repository.open("a") as file:
        file.write('[remote "origin"]\n\turl = ' + forge.url("acme/app") + "\n")
    before = own.read_bytes(), of_repository.read_bytes()
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        task = await kandev.task(await kandev.repository({"local_path": str(checkout)}))
        session = (await kandev.launch(task))["id"]
        branches = (await kandev.session(session))["metadata"]["branches"]
        done = await kandev.turn(
            session, script(call("run", "touch new && git add new && git commit -qm New"))
        )
        await kandev.stop(session)
        [branch] = branches.values()
        author = git("log", "-1", "--format=%an <%ae> %cn", branch, at=checkout)
        await kandev.client.delete(f"/api/v1/tasks/{task}")

    assert outcomes(done) == ["complete"]
    assert author == "Ada <ada@example.org> Ada"
    assert (own.read_bytes(), of_repository.read_bytes()) == before
