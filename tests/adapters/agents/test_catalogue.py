import json
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.agents.catalogue import SCRIPTED, Catalogue
from domain.agent import CATALOGUE, Agent
from tests.requirements import requirement


def _program(path: Path, mode: int = 0o755) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(mode)
    return str(path)


def _programs(search_path: str, named: tuple[Agent, ...] = ()) -> dict[str, str | None]:
    return {each.agent.name: each.program for each in Catalogue(search_path, named).all()}


@requirement("agents:list")
def test_the_public_agents_the_scripted_one_and_the_users_are_listed_in_order() -> None:
    mine = Agent("mine", "Mine", ("mine",), "make it")

    listed = Catalogue("", (mine,)).all()

    assert [each.agent.name for each in listed] == [
        "claude",
        "codex",
        "gemini",
        "opencode",
        "copilot",
        "amp",
        "demo",
        "mine",
    ]
    assert all(each.agent.install for each in listed)


@requirement("agents:installed")
def test_an_agent_is_installed_when_its_program_is_on_the_path(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    codex = _program(second / "codex-acp")
    _program(first / "gemini", 0o644)
    (first / "opencode").mkdir()

    found = _programs(f"{first}:{second}")

    assert found == dict.fromkeys((each.name for each in CATALOGUE), None) | {
        "codex": codex,
        SCRIPTED: sys.executable,
    }


@requirement("agents:installed")
def test_an_installation_is_seen_without_a_restart(tmp_path: Path) -> None:
    catalogue = Catalogue(str(tmp_path))
    before = next(each for each in catalogue.all() if each.agent.name == "amp")
    amp = _program(tmp_path / "amp-acp")
    after = next(each for each in catalogue.all() if each.agent.name == "amp")

    assert (before.program, after.program) == (None, amp)


@requirement("agents:installed")
@pytest.mark.parametrize(("mode", "installed"), [(0o755, True), (0o644, False)])
def test_an_absolute_command_is_taken_as_it_is(tmp_path: Path, mode: int, installed: bool) -> None:
    program = _program(tmp_path / "my agent", mode)
    mine = Agent("mine", "Mine", (program, "--acp"), "make it")

    assert _programs("", (mine,))["mine"] == (program if installed else None)


@requirement("agents:scripted")
def test_the_scripted_agent_starts_by_what_is_listed(tmp_path: Path) -> None:
    scripted = next(each for each in Catalogue("").all() if each.agent.name == SCRIPTED)
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}

    done = subprocess.run(
        [str(scripted.program), *scripted.agent.command[1:]],
        input=json.dumps(request) + "\n",
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )

    assert json.loads(done.stdout)["result"]["protocolVersion"] == 1
