"""Setup scripts in the worktrees of an instance, with a real shell and a real agent."""

import asyncio
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from adapters.agentctl import wire
from adapters.agentctl.server.instance import Instance
from adapters.agentctl.server.launch_route import told
from adapters.process.table import read
from domain.outcome import failed
from domain.script import OUTPUT_BYTES, TOLD_BYTES
from domain.secret import Secret
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.conftest import House, Open, Seen, git, watch
from tests.adapters.agentctl.server.test_launch import MANAGED
from tests.adapters.agentctl.server.test_worktree_lock import held
from tests.eventually import eventually
from tests.requirements import requirement

KEY = "kept-out-of-sight"

pytestmark = pytest.mark.anyio


def _checkout(source: Path, setup: str, *, blocks: bool = False) -> wire.Checkout:
    scripts = wire.Scripts("project", "trunk", setup, blocks=blocks)
    return wire.Checkout("r1", str(source), "", "feature/a", "main", scripts=scripts)


async def _again(house: House, instance: Instance, checkout: wire.Checkout) -> Instance:
    """Another launch in the same worktree."""
    await instance.stop()
    house.instances.release(instance)
    return await house.launch(checkouts=[checkout])


def _scripts(seen: list[Seen]) -> list[dict[str, object]]:
    return [event.body for event in seen if event.kind == "script"]


def _lives(pid: int) -> bool:
    process = read(pid)
    return process is not None and not process.ended


@requirement("script:setup")
@requirement("script:events")
async def test_a_setup_runs_in_the_worktree_before_the_agent_and_is_told(
    house: House, source: Path
) -> None:
    setup = "pwd; echo to stderr >&2; echo made > made"
    instance = await house.launch(checkouts=[_checkout(source, setup)])
    seen = await watch(instance, "session_status")

    begun, *told, ended = _scripts(seen)
    named = {"script": "setup", "repository": "project"}
    assert seen[-1].kind == "session_status"
    assert begun == {**named, "status": "running"}
    assert {each["status"] for each in told} == {"running"}
    assert sorted("".join(str(each["text"]) for each in told).splitlines()) == sorted([
        str(house.workspace),
        "to stderr",
    ])
    assert ended == {
        **named,
        "status": "completed",
        "exit": 0,
        "signal": None,
        "timed_out": False,
        "output": ended["output"],
        "omitted_bytes": 0,
    }
    assert (house.workspace / "made").read_text() == "made\n"


@requirement("script:setup")
@requirement("script:setup:continue")
async def test_a_setup_runs_again_until_it_has_succeeded(house: House, source: Path) -> None:
    setup = "echo >> runs; test $(wc -l < runs) -ge 2"
    checkout = _checkout(source, setup)

    first = await house.launch(checkouts=[checkout])
    second = await _again(house, first, checkout)
    failed_once = _scripts(await watch(second, "session_status"))
    third = await _again(house, second, checkout)

    assert failed_once[-1]["status"] == "completed"
    assert _scripts(await watch(third, "session_status")) == []
    assert len((house.workspace / "runs").read_text()) == 2


@requirement("script:blank")
@requirement("script:setup")
async def test_a_worktree_without_a_script_is_not_set_up_later(house: House, source: Path) -> None:
    first = await house.launch(checkouts=[_checkout(source, "# nothing\n")])
    told = _scripts(await watch(first, "session_status"))
    second = await _again(house, first, _checkout(source, "touch later"))

    assert told == _scripts(await watch(second, "session_status")) == []
    assert not (house.workspace / "later").exists()


@requirement("script:setup:block")
async def test_a_setup_that_must_not_fail_refuses_the_launch_and_keeps_the_worktree(
    house: House, source: Path
) -> None:
    setup = "echo half > half; echo why; test -e repaired"

    refused = (await house.create(checkouts=[_checkout(source, setup, blocks=True)])).failure()
    kept = (house.workspace / "half").read_text()
    (house.workspace / "repaired").touch()
    repaired = await house.create(checkouts=[_checkout(source, setup, blocks=True)])

    assert refused.code is RuntimeCode.SETUP_FAILED
    assert refused.detail.splitlines() == [
        "the setup script of project ended with status 1",
        f"The worktree is kept: {house.workspace}",
    ]
    assert refused.stderr == "why\n"
    assert kept == "half\n"
    assert not failed(repaired)


@requirement("script:setup:environment")
async def test_a_setup_has_the_environment_of_the_agent(house: House, source: Path) -> None:
    layers = [wire.Layer("request", {"CHOSEN": "by the user", "GIT_DIR": "/elsewhere"})]
    instance = await house.launch(
        checkouts=[_checkout(source, "env -0 > told")], layers=layers, managed=MANAGED
    )
    pid, _ = instance.identity or (0, 0)

    def variables(path: Path) -> dict[str, str]:
        found = (each.partition("=") for each in path.read_text().split("\0") if each)
        return {key: value for key, _, value in found if key not in {"PWD", "SHLVL", "_", "OLDPWD"}}

    agent = variables(Path(f"/proc/{pid}/environ"))
    assert agent["CHOSEN"] == "by the user"
    assert "GIT_CONFIG_COUNT" in agent
    assert variables(house.workspace / "told") == agent


@requirement("script:placeholder:values")
async def test_placeholders_stand_for_what_the_launch_is_about(house: House, source: Path) -> None:
    names = (
        "repository.path",
        "repository.name",
        "repository.branch",
        "workspace.path",
        "worktree.path",
        "worktree.branch",
        "worktree.base_branch",
        "git.user_name",
        "git.user_email",
        "no.such_name",
    )
    git(source, "config", "user.name", "O'Neil")
    words = " ".join("{{" + name + "}}" for name in names)

    await house.launch(checkouts=[_checkout(source, f"printf '%s\\n' {words} > told")])

    assert (house.workspace / "told").read_text().splitlines() == [
        str(source),
        "project",
        "trunk",
        str(house.workspace),
        str(house.workspace),
        "feature/a",
        "main",
        "O'Neil",
        "",
        "{{no.such_name}}",
    ]


@requirement("script:ended")
@pytest.mark.parametrize(("last", "seconds"), [("true", 20.0), ("sleep 600", 0.5)])
async def test_of_a_script_that_is_over_nothing_runs_on(
    open_house: Open, source: Path, last: str, seconds: float
) -> None:
    """By itself or at its limit; also what has left its group."""
    setup = f"sleep 601 & echo $! > grouped; setsid sleep 602 & echo $! > escaped; {last}"
    async with open_house(setup_seconds=seconds) as house:
        instance = await house.launch(checkouts=[_checkout(source, setup)])
        ended = _scripts(await watch(instance, "session_status"))[-1]
        pids = [int((house.workspace / name).read_text()) for name in ("grouped", "escaped")]

        assert ended["timed_out"] == (last != "true")
        assert [pid for pid in pids if _lives(pid)] == []


@requirement("script:ended")
async def test_a_launch_that_is_given_up_ends_its_script_and_forces_nothing(
    house: House, source: Path
) -> None:
    creating = asyncio.create_task(
        house.create(checkouts=[_checkout(source, "echo $$ > pid; exec sleep 600")])
    )
    pid = house.workspace / "pid"
    await eventually(lambda: pid.exists() and pid.read_text() != "")
    creating.cancel()
    await asyncio.wait({creating})
    await eventually(lambda: not (house.home / "instances" / house.execution).exists())

    assert not _lives(int(pid.read_text()))


@requirement("script:output:bound")
@requirement("script:output")
async def test_output_is_told_up_to_its_bound_and_its_end_is_kept(
    house: House, source: Path
) -> None:
    setup = f"head -c {TOLD_BYTES + 1} /dev/zero | tr '\\0' x; echo; echo the end"
    instance = await house.launch(checkouts=[_checkout(source, setup)])

    _, *told, ended = _scripts(await watch(instance, "session_status"))
    text = "".join(str(each["text"]) for each in told)
    assert text == "x" * TOLD_BYTES
    assert str(ended["output"]).endswith("x\nthe end\n")
    assert len(str(ended["output"])) == OUTPUT_BYTES
    assert ended["omitted_bytes"] == TOLD_BYTES + 1 + len("\nthe end\n") - OUTPUT_BYTES


@requirement("script:events")
async def test_a_secret_is_masked_however_it_is_written(house: House, source: Path) -> None:
    secret = "kdl_" + os.urandom(24).hex()
    house.redactor.register(Secret(secret)).unwrap()
    setup = f"printf %s {secret[:20]}; sleep 0.2; printf '%s\\n' {secret[20:]}"

    instance = await house.launch(checkouts=[_checkout(source, setup)])

    told = msgspec.json.encode(_scripts(await watch(instance, "session_status")))
    assert secret[20:] not in told.decode()
    assert b"REDACTED" in told


@requirement("script:setup")
async def test_a_checkout_of_the_users_own_is_not_set_up(house: House, source: Path) -> None:
    checkout = _checkout(source, "touch touched")

    await house.launch(checkouts=[checkout], executor="local", workspace=str(source))

    assert not (source / "touched").exists()


async def _told(house: House, checkout: wire.Checkout) -> list[dict[str, Any]]:
    """The lines of a launch that is told as it happens."""
    asked = house.asked(checkouts=[checkout])
    text = b"".join([piece async for piece in told(house.instances, asked)])
    return [msgspec.json.decode(line) for line in text.splitlines()]


@requirement("script:events:meanwhile")
async def test_of_a_launch_that_a_setup_forbids_everything_is_told(
    house: House, source: Path
) -> None:
    *events, end = await _told(house, _checkout(source, "echo why; exit 3", blocks=True))

    assert [each["n"] for each in events] == [1, 2, 3]
    assert [each["body"].get("text") for each in events] == [None, "why\n", None]
    assert events[-1]["body"]["output"] == "why\n"
    assert (end["created"], end["refused"]["code"]) == (None, "setup_failed")
    assert house.instances.all() == []


@requirement("script:events:meanwhile")
async def test_a_launch_that_is_told_ends_with_its_answer(house: House, source: Path) -> None:
    *events, end = await _told(house, _checkout(source, "true"))
    again = await _told(house, _checkout(source, "true"))

    assert [each["kind"] for each in events][:2] == ["script", "script"]
    assert end["created"]["acp_session"] == "s1"
    assert [each.alive for each in house.instances.all()] == [True]
    assert [each["refused"]["code"] for each in again] == ["instance_exists"]


@requirement("script:events:meanwhile")
@requirement("script:ended")
async def test_who_stops_to_listen_gives_the_launch_up(house: House, source: Path) -> None:
    checkout = _checkout(source, "echo $$ > pid; exec sleep 600")
    telling = told(house.instances, house.asked(checkouts=[checkout]))
    begun = await anext(telling)
    pid = house.workspace / "pid"
    await eventually(lambda: pid.exists() and pid.read_text() != "")
    number = int(pid.read_text())

    await telling.aclose()
    await eventually(lambda: not (house.home / "instances" / house.execution).exists())

    assert msgspec.json.decode(begun)["body"]["status"] == "running"
    assert not _lives(number)


async def _removed(
    house: House, source: Path, cleanup: str, hosts: list[wire.Host]
) -> list[wire.Kept]:
    """Remove a worktree of the task that nobody works in."""
    git(source, "worktree", "add", "-q", "-b", "feature/a", str(house.workspace))
    scripts = wire.Scripts("project", "trunk", cleanup=cleanup)
    checkout = wire.Checkout("r1", str(source), "", "feature/a", "main", scripts=scripts)
    layers = [wire.Layer("agent profile", {"CHOSEN": "by the user", "KEY": KEY}, ["KEY"])]
    around = wire.Cleanup("s1", house.execution, layers, hosts, [])
    asked = wire.Worktrees("t1", str(house.workspace), [checkout], around)
    return (await house.removal.remove(asked)).unwrap()


@requirement("script:cleanup")
@requirement("script:cleanup:closed")
async def test_a_cleanup_runs_in_the_worktree_with_git_closed_before_it_is_removed(
    house: House, source: Path
) -> None:
    told = house.home / "told"
    cleanup = f"(pwd; ls; echo $CHOSEN; env | grep ^KANDEV_ | cut -d= -f1 | sort) > {told}; rm file"

    kept = await _removed(house, source, cleanup, [wire.Host("forge.example")])

    assert told.read_text().split() == [
        str(house.workspace),
        "file",
        "by",
        "the",
        "user",
        "KANDEV_BROKER_SOCKET",
        "KANDEV_EXECUTION_ID",
        "KANDEV_GIT_SCOPES",
        "KANDEV_SESSION_ID",
        "KANDEV_TASK_ID",
        "KANDEV_TOOLS_DIR",
    ]
    assert house.sockets.leases == ()
    assert house.sockets.held == []
    assert not house.workspace.exists()
    assert git(source, "ls-tree", "--name-only", kept[0].ref) == ""
    assert list((house.home / "instances").iterdir()) == []


@requirement("script:cleanup:failure")
async def test_a_failed_cleanup_does_not_keep_the_worktree(house: House, source: Path) -> None:
    await _removed(house, source, "false", [])

    assert not house.workspace.exists()


@requirement("profile:secret")
async def test_a_secret_that_a_cleanup_prints_is_masked_in_the_log(
    house: House, source: Path
) -> None:
    with capture_logs() as logged:
        await _removed(house, source, "echo $KEY; false", [])

    [warning] = [each for each in logged if each["event"] == "cleanup_script_failed"]
    assert warning["output"].strip() == "[REDACTED]"


def _cleaned(house: House, source: Path) -> wire.Worktrees:
    """A worktree whose cleanup script leaves a file in it."""
    git(source, "worktree", "add", "-q", "-b", "feature/a", str(house.workspace))
    scripts = wire.Scripts("project", "trunk", cleanup="touch cleaned")
    checkout = wire.Checkout("r1", str(source), "", "feature/a", "main", scripts=scripts)
    around = wire.Cleanup("s1", house.execution, [], [], [])
    return wire.Worktrees("t1", str(house.workspace), [checkout], around)


@requirement("script:cleanup")
async def test_what_cannot_be_removed_is_not_cleaned(house: House, source: Path) -> None:
    asked = _cleaned(house, source)
    git(source, "worktree", "lock", str(house.workspace))

    refused = (await house.removal.remove(asked)).failure()

    assert refused.code is RuntimeCode.WORKTREE_LOCKED
    assert not (house.workspace / "cleaned").exists()


@requirement("script:cleanup")
async def test_nothing_is_cleaned_in_a_repository_that_is_busy(
    open_house: Open, source: Path
) -> None:
    async with open_house(lock_seconds=0.05) as house:
        asked = _cleaned(house, source)
        async with held(source / ".git" / "kandev.lock"):
            refused = (await house.removal.remove(asked)).failure()

        assert refused.code is RuntimeCode.REPOSITORY_BUSY
        assert not (house.workspace / "cleaned").exists()


@requirement("script:cleanup")
async def test_a_cleanup_of_one_of_several_worktrees_is_told_the_folder_of_all(
    house: House, source: Path
) -> None:
    told, several = house.home / "told", house.workspace / "project"
    git(source, "worktree", "add", "-q", "-b", "feature/a", str(several))
    scripts = wire.Scripts("project", "trunk", cleanup=f"echo {{{{workspace.path}}}} > {told}")
    checkout = wire.Checkout("r1", str(source), "project", "feature/a", "main", scripts=scripts)
    around = wire.Cleanup("s1", house.execution, [], [], [])
    asked = wire.Worktrees("t1", str(house.workspace), [checkout], around, several=True)

    (await house.removal.remove(asked)).unwrap()

    assert told.read_text().strip() == str(house.workspace)
