"""Bad input and bad luck: a clear code and what to do, no process, no half row, no lost work."""

import socket
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from composition.client import ApiError
from composition.server import started
from composition.settings import VERSION, read_settings
from composition.start_problem import CannotStart
from tests.adapters.sqlite.databases import write
from tests.e2e.conftest import TOKEN, git
from tests.e2e.kandev import Driver, Installation
from tests.e2e.test_conversation import processes_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


async def refused_launch(
    kandev: Driver, source: dict[str, str], agent: str = "demo", base: str | None = None
) -> tuple[ApiError, list[dict[str, object]]]:
    """Launch, which must fail; the refusal and the task's sessions as they are stored."""
    await kandev.workspace_of()
    task = await kandev.task(await kandev.repository(source), base)
    with pytest.raises(ApiError) as refused:
        await kandev.launch(task, agent)
    sessions = await kandev.client.get(f"/api/v1/tasks/{task}/sessions")
    return refused.value, sessions


@requirement("failure:agent")
@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (("--exit-during-initialize",), "agent_died"),
        (("--protocol", "2"), "agent_protocol"),
    ],
)
async def test_an_agent_that_fails_at_its_start_leaves_nothing_behind(
    installation: Installation, checkout: Path, flags: tuple[str, ...], code: str
) -> None:
    installation.name_agent("bad", *flags)
    async with installation.server() as kandev:
        refused, sessions = await refused_launch(kandev, {"local_path": str(checkout)}, "bad")

        assert refused.code == code
        assert refused.remedy
        assert [each["state"] for each in sessions] == ["failed"]
        assert sessions[0]["failure"]["code"] == code  # type: ignore[index]  # JSON of the answer
        assert "git_credential_snapshot" not in sessions[0]["metadata"]  # type: ignore[operator]  # as above
        assert processes_of(str(sessions[0]["id"])) == []
        assert list((installation.home / "tasks").rglob("README.md")) == []


@requirement("failure:agent")
async def test_the_last_words_of_an_agent_that_died_are_told(
    installation: Installation, checkout: Path
) -> None:
    installation.name_agent("bad", "--exit-during-initialize")
    async with installation.server() as kandev:
        refused, _ = await refused_launch(kandev, {"local_path": str(checkout)}, "bad")

    assert "told to end during initialize" in refused.detail


@requirement("failure:noise")
async def test_an_agent_that_prints_noise_works_and_the_noise_is_kept(
    installation: Installation, checkout: Path
) -> None:
    installation.name_agent("noisy", "--noise")
    async with installation.server() as kandev:
        await kandev.workspace_of()
        task = await kandev.task(await kandev.repository({"local_path": str(checkout)}))
        session = await kandev.launch(task, "noisy")
        events = await kandev.turn(session["id"], "hello")

    kinds = [event["kind"] for event in events]
    assert "noise" in kinds
    assert kinds[-1] == "complete"


@requirement("failure:agent")
@pytest.mark.parametrize(
    ("agent", "code"), [("nobody", "unknown_agent"), ("absent", "agent_not_installed")]
)
async def test_an_agent_that_is_not_there_makes_no_session(
    installation: Installation, checkout: Path, agent: str, code: str
) -> None:
    with (installation.home / "agents.toml").open("w", encoding="utf-8") as file:
        file.write('[agents.absent]\ncommand = ["/nonexistent/agent"]\n')
    async with installation.server() as kandev:
        refused, sessions = await refused_launch(kandev, {"local_path": str(checkout)}, agent)

    assert refused.code == code
    assert sessions == []


@requirement("failure:base")
async def test_a_base_branch_that_is_missing_is_named_and_no_worktree_is_left(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as kandev:
        refused, sessions = await refused_launch(
            kandev, {"local_path": str(checkout)}, base="nowhere"
        )

    assert refused.code == "git_unknown_branch"
    assert [each["state"] for each in sessions] == ["failed"]
    assert git("worktree", "list", "--porcelain", at=checkout).count("worktree ") == 1


@requirement("failure:dirty")
async def test_changes_that_are_not_committed_stop_the_launch_and_stay(
    installation: Installation, checkout: Path
) -> None:
    (checkout / "README.md").write_text("changed\n", encoding="utf-8")
    async with installation.server() as kandev:
        refused, _ = await refused_launch(kandev, {"local_path": str(checkout)})
        task = await kandev.task(await kandev.repository({"local_path": str(checkout)}))
        allowed = await kandev.launch(task, allow_dirty=True)

    assert refused.code == "dirty_checkout"
    assert allowed["state"] == "idle"
    assert (checkout / "README.md").read_text(encoding="utf-8") == "changed\n"


@requirement("failure:clone")
async def test_a_repository_that_cannot_be_cloned_makes_no_row(
    installation: Installation, forge: Forge
) -> None:
    async with installation.server() as kandev:
        workspace = await kandev.workspace_of()
        with pytest.raises(ApiError) as refused:
            await kandev.repository({"clone_url": "https://127.0.0.1:1/acme/app.git"})
        with pytest.raises(ApiError) as unknown:
            await kandev.repository({"clone_url": forge.url("acme/app")})
        known = await kandev.client.get(f"/api/v1/workspaces/{workspace}/repositories")

    assert refused.value.code == "git_unreachable"
    assert unknown.value.code == "git_certificate"
    assert known == []
    assert list((installation.home / "repos").iterdir()) == []


@requirement("failure:token")
async def test_a_wrong_token_leaves_the_old_connection(
    installation: Installation, forge: Forge
) -> None:
    body = {
        "host": forge.host,
        "probe_url": forge.url("acme/app"),
        "certificate_authority": forge.authority,
    }
    async with installation.server() as kandev:
        path = f"/api/v1/workspaces/{await kandev.workspace_of()}/connections"
        made = await kandev.client.put(path, {**body, "token": TOKEN})
        with pytest.raises(ApiError) as refused:
            await kandev.client.put(path, {**body, "token": "wrong-token-0123456789"})
        kept = await kandev.client.get(path)
        await kandev.repository({"clone_url": forge.url("acme/app")})

    assert refused.value.code == "token_refused"
    assert "wrong-token" not in str(refused.value)
    assert kept == [made]


@requirement("failure:start")
async def test_a_port_that_is_taken_is_named(installation: Installation) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        settings = read_settings({**installation.environment, "KANDEV_PORT": str(port)})
        with pytest.raises(CannotStart) as refused:
            async with started(settings, port=port, owned=True, environment={}):
                pass

    assert refused.value.code == "port_in_use"
    assert str(port) in str(refused.value)


@requirement("failure:start")
async def test_a_second_server_on_a_home_is_told_where_the_first_is(
    installation: Installation,
) -> None:
    async with installation.server() as kandev:
        code, output, errors = await installation.command("serve")
        url = str(kandev.client.http.base_url)

    assert code == 3
    assert output == ""
    assert "home_in_use" in errors
    assert url in errors


@requirement("failure:start")
async def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    settings = read_settings({"KANDEV_HOME": str(blocked / "home"), "PATH": "/usr/bin"})

    with pytest.raises(CannotStart) as refused:
        async with started(settings, port=0, owned=True, environment={}):
            pass

    assert refused.value.code in {"home_not_writable", "home_not_a_directory"}
    assert str(blocked) in str(refused.value)


@requirement("failure:start")
async def test_a_key_that_is_lost_or_cut_stops_the_start_while_secrets_need_it(
    installation: Installation, forge: Forge
) -> None:
    async with installation.server() as kandev:
        path = f"/api/v1/workspaces/{await kandev.workspace_of()}/connections"
        await kandev.client.put(
            path,
            {
                "host": forge.host,
                "probe_url": forge.url("acme/app"),
                "certificate_authority": forge.authority,
                "token": TOKEN,
            },
        )
    (installation.home / "secret.key").unlink()

    code, _, errors = await installation.command("serve", "--port", "0")

    assert code == 3
    assert "key_missing" in errors
    assert not (installation.home / "secret.key").exists()

    short = b"k" * 31
    (installation.home / "secret.key").touch(0o600)
    (installation.home / "secret.key").write_bytes(short)

    code, _, errors = await installation.command("serve", "--port", "0")

    assert code == 3
    assert "key_unusable" in errors
    assert (installation.home / "secret.key").read_bytes() == short


@requirement("store:upgrade:newer")
async def test_a_database_of_a_newer_program_is_left_alone_and_both_versions_are_named(
    installation: Installation,
) -> None:
    async with installation.server():
        pass
    database = installation.home / "kandev.db"
    write(database, "UPDATE kandev_meta SET value = '99.1' WHERE key = 'kandev_version'")
    before = database.read_bytes()

    for _ in range(2):
        code, _, errors = await installation.command("serve", "--port", "0")

        assert code == 3
        assert "database_newer" in errors
        assert "99.1" in errors
        assert VERSION in errors
        assert database.read_bytes() == before
