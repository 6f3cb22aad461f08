"""What a turn left in real repositories, as its ending tells it."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from adapters.agentctl import wire
from adapters.agentctl.server import turn_evidence
from adapters.agentctl.server.instance import Instance
from adapters.agentctl.server.worktree_files import MAX_PACKED_REFS_BYTES, head_commit
from domain.turn_evidence import MAX_UNPUSHED, UNKNOWN
from tests.adapters.agentctl.server.conftest import House, git, turn, watch
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AUTHOR = "-c,user.name=a,-c,user.email=a@a"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A clone of a remote that has everything that is in it."""
    remote, clone = tmp_path / "remote", tmp_path / "source"
    git(tmp_path, "init", "-q", "-b", "main", str(remote))
    (remote / "file").write_text("text\n")
    git(remote, "add", ".")
    git(remote, "commit", "-q", "-m", "first")
    git(tmp_path, "clone", "-q", str(remote), str(clone))
    return clone


async def _at_work(house: House, source: Path, **members: Any) -> Instance:
    checkout = wire.Checkout("r1", str(source), "", "feature/a", "main")
    return await house.launch(checkouts=[checkout], **members)


async def _left(instance: Instance, generation: int, prompt: str) -> dict[str, Any]:
    """The evidence about the one repository."""
    ending = (await turn(instance, generation, prompt))[-1]
    (evidence,) = ending.body["evidence"]
    assert isinstance(evidence, dict)
    return evidence


@requirement("agentctl:turn:evidence")
async def test_a_turn_tells_what_it_committed_and_what_it_did_not(
    house: House, source: Path
) -> None:
    instance = await _at_work(house, source)
    first = git(source, "rev-parse", "HEAD")
    (house.workspace / "file").write_text("edited\n")

    commit = await _left(instance, 1, f"git:{AUTHOR},commit,-qam,second")
    (house.workspace / "file").write_text("edited again\n")
    (house.workspace / "new file").write_text("new\n")
    idle = await _left(instance, 2, "say:done")

    second = git(house.workspace, "rev-parse", "HEAD")
    assert commit == {
        "repository_id": "r1",
        "head_before": first,
        "head_after": second,
        "dirty": {"count": 0, "files": []},
        "unpushed": 1,
    }
    assert idle == {
        "repository_id": "r1",
        "head_before": second,
        "head_after": second,
        "dirty": {"count": 2, "files": ["file", "new file"]},
        "unpushed": 1,
    }


@requirement("agentctl:turn:evidence")
async def test_an_agent_whose_commit_was_refused_is_not_taken_for_done(
    house: House, source: Path
) -> None:
    instance = await _at_work(house, source)
    hooks = Path(git(source, "rev-parse", "--absolute-git-dir")) / "hooks" / "pre-commit"
    hooks.parent.mkdir(exist_ok=True)
    hooks.write_text("#!/bin/sh\nexit 1\n")
    hooks.chmod(0o755)
    (house.workspace / "file").write_text("edited\n")

    left = await _left(instance, 1, f"git:{AUTHOR},commit,-qam,refused")

    assert left["head_before"] == left["head_after"] == git(source, "rev-parse", "main")
    assert left["dirty"] == {"count": 1, "files": ["file"]}
    assert (house.workspace / "file").read_text() == "edited\n"


@requirement("agentctl:turn:evidence")
async def test_what_nothing_tells_is_unknown(house: House, source: Path) -> None:
    git(source, "remote", "remove", "origin")
    instance = await _at_work(house, source)

    alone = await _left(instance, 1, "say:hello")
    instance.prompt(2, "say:begun wait").unwrap()
    await watch(instance, "message_chunk", instance.log.last)
    house.workspace.rename(house.home / "elsewhere")
    instance.cancel()
    gone = (await watch(instance, "complete", instance.log.last))[-1].body["evidence"][0]

    assert (alone["dirty"], alone["unpushed"]) == ({"count": 0, "files": []}, "unknown")
    assert gone == {
        "repository_id": "r1",
        "head_before": alone["head_after"],
        "head_after": "unknown",
        "dirty": "unknown",
        "unpushed": "unknown",
    }


@requirement("agentctl:turn:evidence")
async def test_a_question_that_git_does_not_answer_in_time_leaves_it_unknown(
    house: House, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = await _at_work(house, source)
    monkeypatch.setattr(turn_evidence, "LOOK_SECONDS", 0.0)

    left = await _left(instance, 1, "say:hello")

    assert (left["dirty"], left["unpushed"]) == ("unknown", "unknown")


@requirement("agentctl:turn:evidence")
async def test_neither_hooks_nor_monitors_of_an_agent_run_for_it(
    house: House, source: Path
) -> None:
    mark = house.home / "mark"
    monitor = house.home / "monitor"
    monitor.write_text(f"#!/bin/sh\ntouch {mark}\n")
    monitor.chmod(0o755)
    instance = await _at_work(house, source)
    git(source, "config", "core.fsmonitor", str(monitor))

    left = await _left(instance, 1, "say:hello")

    assert left["dirty"] == {"count": 0, "files": []}
    assert not mark.exists()


@requirement("agentctl:turn:evidence")
async def test_commits_are_counted_up_to_a_bound(house: House, source: Path) -> None:
    instance = await _at_work(house, source)
    stream = "".join(
        f"commit refs/heads/many\ncommitter t <t@t> {number} +0000\ndata 0\n\n"
        for number in range(MAX_UNPUSHED + 1)
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=source, input=stream.encode(), check=True)

    left = [
        (await _left(instance, 1, "git:checkout,-q,many~1"))["unpushed"],
        (await _left(instance, 2, "git:checkout,-q,many"))["unpushed"],
        (await _left(instance, 3, "git:checkout,-q,many~2"))["unpushed"],
    ]

    assert left == [MAX_UNPUSHED, MAX_UNPUSHED, MAX_UNPUSHED - 1]


@requirement("agentctl:turn:evidence")
async def test_in_the_users_own_checkout_it_is_the_checkout_that_is_looked_at(
    house: House, source: Path
) -> None:
    instance = await _at_work(house, source, executor="local")
    (source / "file").write_text("edited\n")

    left = await _left(instance, 1, "say:hello")

    assert left["dirty"] == {"count": 1, "files": ["file"]}


def test_the_head_of_a_checkout_is_read_from_its_files(source: Path, tmp_path: Path) -> None:
    tip = git(source, "rev-parse", "HEAD")
    linked, unborn = tmp_path / "linked", tmp_path / "unborn"
    git(source, "worktree", "add", "-q", "-b", "other/branch", str(linked))
    git(tmp_path, "init", "-q", str(unborn))

    loose = [head_commit(source), head_commit(linked)]
    git(source, "pack-refs", "--all")
    packed = [head_commit(source), head_commit(linked)]
    git(linked, "checkout", "-q", "--detach")

    assert loose == packed == [tip, tip]
    assert head_commit(linked) == tip
    assert head_commit(unborn) is None
    assert head_commit(tmp_path) is UNKNOWN


@pytest.mark.parametrize(("more", "known"), [(0, True), (1, False)])
def test_packed_refs_are_read_up_to_a_bound(source: Path, more: int, known: bool) -> None:
    tip = git(source, "rev-parse", "HEAD")
    git(source, "pack-refs", "--all")
    packed = source / ".git" / "packed-refs"
    line = f"{tip} refs/heads/main\n".encode()
    packed.write_bytes(b"#" * (MAX_PACKED_REFS_BYTES - len(line) - 1 + more) + b"\n" + line)

    assert head_commit(source) == (tip if known else UNKNOWN)


def test_refs_in_tables_are_not_guessed_from_files(source: Path) -> None:
    (source / ".git" / "reftable").mkdir()

    assert head_commit(source) is UNKNOWN
