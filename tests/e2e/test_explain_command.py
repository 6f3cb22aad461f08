"""`kandev explain git`: what git sees in a session, for a person and for a program."""

import json
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from domain import git_config
from domain.git_config import Entry
from tests.e2e.agent import launched
from tests.e2e.conftest import TOKEN
from tests.e2e.connected import connect
from tests.e2e.kandev import Installation
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

HOST = (
    Entry("http.https://other.example.extraHeader", "Authorization: planted"),
    Entry("core.hooksPath", "/host/\x1b[31mhooks"),
    Entry("core.hooksPath", "/chosen\nhooks"),
)


@requirement("explain:git:command")
@requirement("explain:git:entries")
@requirement("explain:git:channels")
async def test_a_session_is_explained_as_a_table_that_ends_with_what_stays_open(
    tmp_path: Path, forge: Forge
) -> None:
    host = {**git_config.serialize(HOST), "GIT_DIR": "/elsewhere", "SSH_AUTH_SOCK": "/agent"}
    installation = Installation(tmp_path / "home", host)
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
        agent = await launched(kandev, task, tmp_path / "told")
        netrc = installation.home / ".netrc"
        netrc.write_text("machine 127.0.0.1 login u password planted\n", encoding="utf-8")
        header = f"git config http.https://{forge.host}.extraHeader 'Authorization: planted'"
        rewrite = f"git config url.ssh://git@127.0.0.1/.insteadOf https://{forge.host}/"
        await agent.runs(header, rewrite)
        explain = ("explain", "git", "--session", agent.session)
        code, table, _ = await installation.command(*explain)
        _, text, _ = await installation.command(*explain, "--json")
        asked = await kandev.client.get(f"/api/v1/sessions/{agent.session}/git-configuration")
        await kandev.stop(agent.session)
        stopped = await installation.command(*explain)
        unknown = await installation.command("explain", "git", "--session", "ses_nobody")
    absent = await installation.command(*explain)

    rows = [line.split() for line in table.splitlines()]
    scope = f"https://{forge.host}"
    assert code == 0
    assert rows[0] == ["KEY", "VALUE", "LAYER", "EFFECT"]
    assert rows[1] == ["0", HOST[0].key, "[REDACTED]", "host", "adds", "to", "the", "list"]
    assert rows[2] == ["1", "core.hooksPath", "/host/hooks", "host", "sets"]
    assert rows[3] == ["2", "core.hooksPath", "/chosen\\nhooks", "host", "overrides", "1"]
    assert rows[6] == ["5", f"credential.{scope}.helper", "managed", "resets"]
    assert [row[-2:] for row in rows[7:9]] == [["the", "list"]] * 2
    assert "taken from the environment: GIT_DIR" in table
    assert table.splitlines()[-5:] == [
        "open: .netrc answers before any helper is asked (127.0.0.1)",
        "open: a header is sent whatever the helper says (local http.extraheader)",
        "open: an address is rewritten to SSH, which asks no helper (local url.insteadof)",
        "open: a remote is reached over SSH, which asks no helper (origin)",
        "open: an SSH agent signs for whoever asks it (SSH_AUTH_SOCK)",
    ]
    assert json.loads(text) == asked
    assert [each["channel"] for each in asked["channels"]] == [
        "netrc",
        "extra_header",
        "rewrite_to_ssh",
        "ssh_remote",
        "ssh_agent",
    ]
    assert "planted" not in table + text
    assert "\x1b" not in table
    assert (stopped[0], "no_instance" in stopped[2], "Resume" in stopped[2]) == (1, True, True)
    assert (unknown[0], "session_not_found" in unknown[2]) == (1, True)
    assert (absent[0], "kandev serve" in absent[2]) == (3, True)


@requirement("explain:git:command")
async def test_a_managed_session_with_nothing_open_says_so(tmp_path: Path, forge: Forge) -> None:
    installation = Installation(tmp_path / "home")
    async with installation.server() as kandev:
        await connect(kandev, forge, TOKEN)
        task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
        agent = await launched(kandev, task, tmp_path / "told")
        _, table, _ = await installation.command("explain", "git", "--session", agent.session)

    assert table.splitlines()[-1] == "Nothing was found that goes around the managed helper."
