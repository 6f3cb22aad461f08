"""What went wrong for others beside a managed agent, played again on real git, shells and tools."""

from pathlib import Path

import pytest

from adapters.agentctl.wire import CredentialAnswer
from domain.managed_git import HELPER_NAME
from tests.adapters.agentctl.broker.conftest import FILLED, HOST, Desk, Managed, run
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

GH = "#!/bin/sh\necho gh 9.9\n"


def question(path: str) -> str:
    return f"protocol=https\nhost={HOST}\npath={path}\n\n"


def with_gh(managed: Managed, folder: Path) -> dict[str, str]:
    program = folder / "machine" / "gh"
    program.parent.mkdir()
    program.write_text(GH, encoding="utf-8")
    program.chmod(0o755)
    environment = managed.environment()
    return {**environment, "PATH": f"{managed.tools}:{program.parent}:{environment['PATH']}"}


@requirement("broker:socket:answer")
@requirement("broker:tools:gh:choice")
async def test_one_repository_in_five_spellings_is_one_lease_and_its_neighbour_is_none(
    desk: Desk, tmp_path: Path
) -> None:
    managed = await desk.instance()
    environment = with_gh(managed, tmp_path)
    checkout = tmp_path / "checkout"
    assert (await run(["git", "init", "-q", str(checkout)], environment)).status == 0
    for path in ("acme/widgets", "acme/widgets.git", "acme/widgets/"):
        filled = await managed.git("fill", question(path))
        assert (filled.status, "password=s3cret" in filled.stdout) == (0, True)
    for origin in (f"git@{HOST}:acme/widgets.git", f"ssh://git@{HOST}/acme/widgets.git"):
        await run(["git", "config", "remote.origin.url", origin], environment, "", checkout)
        asked = await run(["gh", "pr", "list"], environment, "", checkout)
        assert (asked.status, asked.stdout) == (0, "gh 9.9\n")
    leases = [each.lease for _, each in desk.desk.asked]
    version = await run(["gh", "--version"], environment, "", checkout)
    neighbour = await managed.git("fill", question("acme/widgets2"))

    assert leases == ["kdl_widgets"] * 5
    assert (version.status, version.stdout) == (0, "gh 9.9\n")
    assert (neighbour.status, neighbour.stdout) == (128, "")
    assert len(desk.desk.asked) == 5


@requirement("broker:tools:shell")
@requirement("broker:socket:quit")
async def test_a_login_shell_gets_the_lease_and_without_the_helper_one_clear_refusal(
    desk: Desk,
) -> None:
    managed = await desk.instance()
    (desk.home / ".profile").write_text("PATH=/usr/bin:/bin\n", encoding="utf-8")
    (desk.home / ".gitconfig").write_text(
        '[credential]\n\thelper = "!echo username=mine; echo password=own; :"\n', "utf-8"
    )
    script = f"printf 'url=https://{HOST}/acme/widgets\\n\\n' | git credential fill"
    environment = managed.environment(BASH_ENV=str(managed.tools / "shell-start.sh"))
    there = await run(["bash", "-lc", script], environment)
    (managed.tools / HELPER_NAME).unlink()
    gone = await run(["bash", "-lc", script], environment)

    assert " " in str(managed.tools)
    assert (there.status, there.stdout) == (0, FILLED)
    assert (gone.status, gone.stdout) == (128, "")
    assert "told us to quit" in gone.stderr
    assert "Username" not in gone.stderr


@requirement("broker:socket:quit")
@requirement("broker:socket:expiry")
async def test_the_users_own_helper_never_hears_of_a_managed_host(
    desk: Desk, tmp_path: Path
) -> None:
    managed = await desk.instance()
    desk.desk.given[f"{HOST}/acme/widgets"] = CredentialAnswer("robot", "s3cret", 4_000_000_000)
    heard = tmp_path / "heard"
    recorder = f'"!f() {{ echo $1 >> {heard}; echo username=own; echo password=own; }}; f"'
    (desk.home / ".gitconfig").write_text(
        f'[credential]\n\thelper = {recorder}\n[credential "https://{HOST}"]\n\thelper = {recorder}\n',
        "utf-8",
    )
    filled = await managed.fill()
    for action in ("approve", "reject"):
        await managed.git(action, f"{filled.stdout}\n")
    silent = not heard.exists()
    told = await run(
        [str(managed.tools / "agentctl"), "git-credential", "get"],
        managed.environment(),
        question("acme/widgets"),
    )
    other = await managed.fill("https://other.example/x")
    await managed.git("approve", f"{other.stdout}\n")

    assert silent, "the user's helper was asked"
    assert "password=s3cret" in filled.stdout
    assert "password_expiry_utc=4000000000" in told.stdout.splitlines()
    assert "password=own" in other.stdout
    assert heard.read_text("utf-8").split() == ["get", "store"]
