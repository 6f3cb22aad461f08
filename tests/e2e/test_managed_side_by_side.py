"""Three instances of one agentctl at once: what is managed in one of them reaches no other."""

import shlex
import sys
from pathlib import Path
from typing import Final

import pytest

from adapters.forge.forge import Forge
from tests.e2e.agent import Agent, launched
from tests.e2e.conftest import TOKEN
from tests.e2e.connected import connect
from tests.e2e.kandev import Driver, Installation, call, script
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

HASTY: Final = Path(__file__).parents[1] / "agents" / "hasty_agentctl.py"
CONTRACT: Final = {"KANDEV_BROKER_SOCKET", "KANDEV_GIT_SCOPES", "KANDEV_TOOLS_DIR"}
CHOSEN: Final = "chosen-token-0123456789abcdef"
GH: Final = '#!/bin/sh\necho "gh $GH_TOKEN $GITHUB_TOKEN"\n'


@pytest.fixture
def machine(installation: Installation, tmp_path: Path) -> Path:
    """A `gh` of the machine's own, before all else on its PATH, and no `agentctl`."""
    program = tmp_path / "machine" / "gh"
    program.parent.mkdir()
    program.write_text(GH)
    program.chmod(0o755)
    installation.environment["PATH"] = f"{program.parent}:/usr/local/bin:/usr/bin:/bin"
    return program


class Asking:
    """The three ways to a credential, as commands that write down what they print and return."""

    def __init__(self, forge: Forge, folder: Path) -> None:
        question = shlex.quote(f"url={forge.url('acme/app')}\n\n")
        parts = shlex.quote(f"protocol=https\nhost={forge.host}\npath=acme/app.git\n\n")
        self._folder = folder
        self._ways = {
            "git": f"printf %s {question} | git credential fill",
            "agentctl": f"printf %s {parts} | agentctl git-credential get",
            "gh": "gh api user",
        }

    def command(self, *ways: str) -> str:
        """All of the ways, one after the other."""
        return "; ".join(
            f"{self._ways[way]} > {self._at(way)}.part; echo $? >> {self._at(way)}.part; "
            f"mv {self._at(way)}.part {self._at(way)}"
            for way in ways
        )

    def told(self, way: str) -> tuple[str, int]:
        """What a way printed the last time, and its exit status."""
        *lines, status = (self._folder / way).read_text().splitlines()
        return "\n".join(lines), int(status)

    def ready(self, *ways: str) -> bool:
        return all((self._folder / way).exists() for way in ways)

    def forget(self) -> None:
        for path in self._folder.iterdir():
            path.unlink()

    def _at(self, way: str) -> str:
        return shlex.quote(str(self._folder / way))


async def found(agent: Agent) -> list[str]:
    """Where it finds `gh` and `agentctl`."""
    told = agent.folder / "found"
    await agent.runs(f"(command -v gh; command -v agentctl) > {told}; true")
    return told.read_text().split()


async def asked(agent: Agent, forge: Forge, *ways: str) -> list[tuple[str, int]]:
    folder = agent.folder / "told"
    folder.mkdir()
    asking = Asking(forge, folder)
    assert await agent.runs(asking.command(*ways)) == ["complete"]
    return [asking.told(way) for way in ways]


async def three(kandev: Driver, forge: Forge, tmp_path: Path) -> tuple[Agent, Agent, Agent]:
    """One with the contract, one that inherits, one with a token of its own: all at once."""
    await connect(kandev, forge, TOKEN, "executor")
    task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
    inheriting = await launched(kandev, task, tmp_path / "b")
    await connect(kandev, forge, TOKEN)
    repository = await kandev.repository({"clone_url": forge.url("acme/app")})
    managed = await launched(kandev, await kandev.task(repository), tmp_path / "a")
    chosen = await launched(
        kandev, await kandev.task(repository), tmp_path / "c", environment={"GITHUB_TOKEN": CHOSEN}
    )
    return managed, inheriting, chosen


@requirement("managed:side-by-side")
async def test_instances_of_one_agentctl_have_what_was_decided_for_each(
    installation: Installation, forge: Forge, ambient: Path, machine: Path, tmp_path: Path
) -> None:
    async with installation.server() as kandev:
        managed, inheriting, chosen = await three(kandev, forge, tmp_path)
        [tools] = (installation.home / "tools").iterdir()
        places = [await found(each) for each in (managed, inheriting, chosen)]
        names = [set(await each.environment()) for each in (managed, inheriting, chosen)]
        own = await asked(managed, forge, "git", "agentctl", "gh")
        assert not ambient.exists(), "an ambient program was asked"
        [by_helper, by_gh] = await asked(inheriting, forge, "git", "gh")
        [by_token] = await asked(chosen, forge, "gh")

    assert places == [[f"{tools}/gh", f"{tools}/agentctl"], [str(machine)], [str(machine)]]
    assert [each & CONTRACT for each in names] == [CONTRACT, set(), set()]
    assert [status for _, status in own] == [0, 0, 0]
    credential = f"username=robot\npassword={TOKEN}"
    assert credential in own[0][0]
    assert credential in own[1][0]
    assert own[2][0].strip() == f"gh {TOKEN}"
    assert "username=ambient" in by_helper[0]
    assert by_gh == ("gh ambient-token-0123456789 ambient-token-0123456789", 0)
    assert by_token == (f"gh  {CHOSEN}", 0)


@requirement("managed:side-by-side")
@requirement("managed:fails-closed")
async def test_without_helper_socket_or_broker_each_way_fails_and_nothing_else_is_asked(
    installation: Installation, forge: Forge, ambient: Path, machine: Path, tmp_path: Path
) -> None:
    installation.agentctl = (sys.executable, "-I", str(HASTY))
    folder = tmp_path / "told"
    folder.mkdir()
    asking = Asking(forge, folder)
    ways = {"helper": ("git", "agentctl"), "socket": ("git", "agentctl", "gh")}
    places = {
        "helper": "$KANDEV_TOOLS_DIR/git-credential-kandev",
        "socket": "$KANDEV_BROKER_SOCKET",
    }
    ended: dict[str, list[int]] = {}
    async with installation.server(owned=False) as kandev:
        await connect(kandev, forge, TOKEN)
        task = await kandev.task(await kandev.repository({"clone_url": forge.url("acme/app")}))
        agent = await launched(kandev, task, tmp_path / "a")
        for taken, place in places.items():
            gone, back = f'mv "{place}" "{place}-gone"', f'mv "{place}-gone" "{place}"'
            command = f"{gone}; {asking.command(*ways[taken])}; {back}"
            assert await agent.runs(command) == ["complete"]
            ended[taken] = [asking.told(way)[1] for way in ways[taken]]
            asking.forget()
        last = asking.command("git", "agentctl", "gh")
        await kandev.prompt(agent.session, script(call("wait_for_file", "go"), call("run", last)))
        worktree = (await kandev.session(agent.session))["metadata"]["workspace"]

    Path(worktree, "go").touch()
    await eventually(lambda: asking.ready("git", "agentctl", "gh"))
    ended["broker"] = [asking.told(way)[1] for way in ("git", "agentctl", "gh")]
    printed = [asking.told(way)[0] for way in ("git", "agentctl", "gh")]
    async with installation.server() as kandev:
        await kandev.until(agent.session, "complete", agent.seen)

    assert ended == {"helper": [128, 1], "socket": [128, 1, 1], "broker": [128, 1, 1]}
    assert not any("password=" in text or "gh " in text for text in printed)
    assert not ambient.exists(), "an ambient program was asked"
