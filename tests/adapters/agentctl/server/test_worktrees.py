"""Worktrees of an instance, with real git: made, used again, refused, taken back."""

import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapters.agentctl import wire
from adapters.agentctl.server.instance import Instance
from domain.outcome import failed
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.conftest import House, Seen, git, texts, turn, watch
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def _checkout(source: Path, **members: str) -> wire.Checkout:
    plain = wire.Checkout("r1", str(source), "", "feature/a", "main")
    return msgspec.structs.replace(plain, **members)


def _state(source: Path) -> dict[str, Any]:
    """Everything that a launch could leave in the repository."""
    return {
        "branches": git(source, "for-each-ref", "--format=%(refname)").splitlines(),
        "worktrees": git(source, "worktree", "list", "--porcelain").count("worktree "),
        "status": git(source, "status", "--porcelain"),
        "config": (source / ".git" / "config").read_text(),
    }


@requirement("agentctl:launch:worktree")
async def test_a_new_branch_begins_at_its_base_in_a_worktree_of_its_own(
    house: House, source: Path
) -> None:
    instance = await house.launch(checkouts=[_checkout(source)])

    seen = texts(await turn(instance, 1, "cwd git:symbolic-ref,HEAD git:status,--porcelain"))

    assert seen[0] == str(house.workspace)
    assert seen[1].strip() == "refs/heads/feature/a"
    assert (house.workspace / "file").read_text() == "text\n"
    assert git(source, "rev-parse", "feature/a") == git(source, "rev-parse", "main")


@requirement("agentctl:launch:worktree")
async def test_a_branch_that_begins_at_a_remote_one_does_not_track_it(
    house: House, source: Path
) -> None:
    git(source, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(source, "remote", "add", "origin", str(source))
    before = _state(source)["config"]

    await house.launch(checkouts=[_checkout(source, base="origin/main")])

    assert _state(source)["config"] == before


@requirement("agentctl:launch:worktree")
async def test_an_existing_branch_is_checked_out_as_it_is(house: House, source: Path) -> None:
    git(source, "checkout", "-q", "-b", "feature/a")
    git(source, "commit", "-q", "--allow-empty", "-m", "second")
    tip = git(source, "rev-parse", "HEAD")
    git(source, "checkout", "-q", "main")

    instance = await house.launch(checkouts=[_checkout(source, base="no-such-base")])

    assert texts(await turn(instance, 1, "git:rev-parse,HEAD"))[0].strip() == tip


@requirement("agentctl:launch:worktree")
async def test_a_worktree_that_is_there_is_used_again_with_what_it_holds(
    house: House, source: Path
) -> None:
    first = await house.launch(checkouts=[_checkout(source)])
    await first.stop()
    house.instances.release(first)
    (house.workspace / "work").write_text("not committed")

    await house.launch(execution=uuid.uuid4().hex, checkouts=[_checkout(source)])

    assert (house.workspace / "work").read_text() == "not committed"


@requirement("agentctl:launch:worktree")
async def test_a_worktree_whose_directory_was_lost_is_made_again(
    house: House, source: Path
) -> None:
    first = await house.launch(checkouts=[_checkout(source)])
    await first.stop()
    house.instances.release(first)
    subprocess.run(["rm", "-rf", str(house.workspace)], check=True)

    await house.launch(execution=uuid.uuid4().hex, checkouts=[_checkout(source)])

    assert (house.workspace / "file").read_text() == "text\n"


@requirement("agentctl:launch:worktree")
async def test_a_checkout_that_git_was_killed_in_is_made_again(house: House, source: Path) -> None:
    git(source, "worktree", "add", "-q", "--no-checkout", "-b", "feature/a", str(house.workspace))
    (source / ".git" / "worktrees" / "t1" / "locked").write_text("initializing")

    await house.launch(checkouts=[_checkout(source)])

    assert (house.workspace / "file").read_text() == "text\n"


@requirement("agentctl:launch:worktree")
async def test_several_repositories_lie_in_folders_of_one_workspace(
    house: House, source: Path
) -> None:
    checkouts = [
        _checkout(source, folder="one"),
        _checkout(source, folder="two", branch="feature/b"),
    ]

    instance = await house.launch(checkouts=checkouts)

    assert texts(await turn(instance, 1, "cwd")) == [str(house.workspace)]
    assert (house.workspace / "one" / "file").is_file()
    assert (house.workspace / "two" / "file").is_file()


@requirement("agentctl:launch:worktree")
async def test_the_local_executor_works_in_the_checkout_itself(house: House, source: Path) -> None:
    before = _state(source)

    instance = await house.launch(executor="local", checkouts=[_checkout(source)])

    assert texts(await turn(instance, 1, "cwd")) == [str(source)]
    assert _state(source) == before
    assert not house.workspace.exists()


@requirement("agentctl:launch:refusals")
@requirement("agentctl:launch:nothing-left")
@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"branch": "..bad"}, "..bad"),
    ],
)
async def test_a_worktree_that_cannot_be_made_is_refused_and_leaves_nothing(
    house: House, source: Path, members: dict[str, str], words: str
) -> None:
    before = _state(source)

    problem = (await house.create(checkouts=[_checkout(source, **members)])).failure()

    assert problem.code is RuntimeCode.WORKTREE
    assert words in problem.detail
    assert _state(source) == before
    assert not house.workspace.exists()


@requirement("branch:base:missing")
@requirement("agentctl:launch:nothing-left")
async def test_a_base_that_is_nowhere_is_named_and_leaves_nothing(
    house: House, source: Path
) -> None:
    before = _state(source)
    checkout = wire.Checkout(
        "r1", str(source), "", "feature/a", "missing", fallbacks=["origin/missing"]
    )

    problem = (await house.create(checkouts=[checkout])).failure()

    assert problem.code is RuntimeCode.UNKNOWN_BASE
    assert "no missing" in problem.detail
    assert _state(source) == before
    assert not house.workspace.exists()


@requirement("branch:base:told")
async def test_a_fallback_that_is_taken_is_told_with_what_was_asked(
    house: House, source: Path
) -> None:
    git(source, "update-ref", "refs/remotes/origin/trunk", "HEAD")
    git(source, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    base = "echo {{worktree.base_branch}} > base"
    checkout = wire.Checkout(
        "r1",
        str(source),
        "",
        "feature/a",
        "gone",
        scripts=wire.Scripts("project", "gone", base),
        fallbacks=["origin/gone", "origin/HEAD", "HEAD"],
    )

    seen = await watch(await house.launch(checkouts=[checkout]), "session_status")

    assert seen[-1].body == {
        "status": "warning",
        "code": "base_fallback",
        "repository": "r1",
        "asked": "gone",
        "used": "origin/trunk",
    }
    assert (house.workspace / "base").read_text() == "origin/trunk\n"


@requirement("branch:base:told")
async def test_a_launch_that_fails_after_a_fallback_leaves_no_branch(
    house: House, source: Path
) -> None:
    before = _state(source)
    first = wire.Checkout("r1", str(source), "one", "feature/a", "gone", fallbacks=["HEAD"])

    created = await house.create(checkouts=[first, _checkout(source, folder="two", branch="main")])

    assert failed(created)
    assert _state(source) == before


def _existing(source: Path, branch: str) -> wire.Checkout:
    return wire.Checkout("r1", str(source), "", branch, f"origin/{branch}", existing=True)


@requirement("branch:existing:elsewhere")
@requirement("agentctl:launch:nothing-left")
@pytest.mark.parametrize("branch", ["main", "topic"])
async def test_a_branch_that_is_checked_out_elsewhere_is_refused(
    house: House, source: Path, tmp_path: Path, branch: str
) -> None:
    git(source, "worktree", "add", "-q", "-b", "topic", str(tmp_path / "theirs"))
    before = _state(source)

    problem = (await house.create(checkouts=[_existing(source, branch)])).failure()

    assert problem.code is RuntimeCode.BRANCH_IN_USE
    assert "another worktree" in problem.detail
    assert _state(source) == before
    assert not house.workspace.exists()


@requirement("branch:existing")
async def test_a_branch_of_the_remote_is_made_here_and_worked_on(
    house: House, source: Path
) -> None:
    git(source, "update-ref", "refs/remotes/origin/topic", "HEAD")

    await house.launch(checkouts=[_existing(source, "topic")])

    assert git(house.workspace, "symbolic-ref", "--short", "HEAD").strip() == "topic"


@requirement("branch:existing")
@pytest.mark.parametrize("diverged", [False, True])
async def test_a_branch_is_brought_forward_to_the_remote_unless_it_has_work_of_its_own(
    house: House, source: Path, diverged: bool
) -> None:
    git(source, "branch", "topic")
    git(source, "commit", "-q", "--allow-empty", "-m", "theirs")
    git(source, "update-ref", "refs/remotes/origin/topic", "HEAD")
    theirs = git(source, "rev-parse", "HEAD")
    git(source, "reset", "-q", "--hard", "topic")
    if diverged:
        git(source, "commit", "-q", "--allow-empty", "-m", "ours")
        git(source, "branch", "-f", "topic", "HEAD")
    own = git(source, "rev-parse", "topic")

    await house.launch(checkouts=[_existing(source, "topic")])

    assert git(house.workspace, "rev-parse", "HEAD") == (own if diverged else theirs)
    assert git(house.workspace, "symbolic-ref", "--short", "HEAD").strip() == "topic"


@requirement("branch:existing:elsewhere")
async def test_the_local_executor_works_on_a_branch_only_where_it_is_checked_out(
    house: House, source: Path
) -> None:
    git(source, "branch", "topic")
    before = _state(source)

    refused = await house.create(executor="local", checkouts=[_existing(source, "topic")])
    assert refused.failure().code is RuntimeCode.WORKTREE
    assert "not on the branch topic" in refused.failure().detail
    assert _state(source) == before

    await house.launch(executor="local", checkouts=[_existing(source, "main")])


@requirement("branch:existing")
@requirement("agentctl:launch:nothing-left")
async def test_a_branch_that_is_nowhere_is_named(house: House, source: Path) -> None:
    before = _state(source)

    problem = (await house.create(checkouts=[_existing(source, "nowhere")])).failure()

    assert problem.code is RuntimeCode.UNKNOWN_BASE
    assert "nowhere" in problem.detail
    assert _state(source) == before


@requirement("agentctl:launch:refusals")
@requirement("agentctl:launch:nothing-left")
async def test_a_source_that_is_no_repository_is_refused(house: House, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()

    problem = (await house.create(checkouts=[_checkout(tmp_path / "plain")])).failure()

    assert problem.code is RuntimeCode.WORKTREE
    assert "no git repository" in problem.detail
    assert not house.workspace.exists()


@requirement("agentctl:launch:refusals")
@requirement("agentctl:launch:nothing-left")
async def test_files_of_somebody_else_are_left_alone(house: House, source: Path) -> None:
    house.workspace.mkdir(parents=True)
    (house.workspace / "theirs").write_text("theirs")
    before = _state(source)

    problem = (await house.create(checkouts=[_checkout(source)])).failure()

    assert problem.code is RuntimeCode.WORKTREE
    assert "is there already" in problem.detail
    assert (house.workspace / "theirs").read_text() == "theirs"
    assert _state(source) == before


@requirement("agentctl:launch:nothing-left")
async def test_a_launch_that_fails_at_the_second_repository_takes_the_first_back(
    house: House, source: Path
) -> None:
    before = _state(source)
    checkouts = [_checkout(source, folder="one"), _checkout(source, folder="two", branch="main")]

    created = await house.create(checkouts=checkouts)

    assert failed(created)
    assert _state(source) == before
    assert not house.workspace.exists()


@requirement("agentctl:launch:nothing-left")
async def test_an_agent_that_never_began_leaves_no_worktree(house: House, source: Path) -> None:
    before = _state(source)

    created = await house.create("initialize=die", checkouts=[_checkout(source)])

    assert created.failure().code is RuntimeCode.AGENT_DIED
    assert _state(source) == before
    assert not house.workspace.exists()


@requirement("copy-files:given")
@requirement("copy-files:warned")
async def test_a_new_worktree_is_given_files_and_a_warning_is_an_event(
    house: House, source: Path
) -> None:
    (source / ".env").write_text("secret")
    copies = [wire.Copy(".env"), wire.Copy("missing")]
    checkout = msgspec.structs.replace(_checkout(source), copies=copies)

    instance = await house.launch(checkouts=[checkout])
    seen = await turn_from_the_start(instance)

    assert (house.workspace / ".env").read_text() == "secret"
    [warning] = [each.body for each in seen if each.body.get("status") == "warning"]
    assert warning == {
        "status": "warning",
        "code": "copy_files",
        "entry": "missing",
        "path": "missing",
        "reason": "no_match",
    }


async def turn_from_the_start(instance: Instance) -> list[Seen]:
    await turn(instance, 1, "cwd")
    return await watch(instance, "complete")


def _remove(_: Path, tree: Path) -> None:
    subprocess.run(["rm", "-rf", str(tree)], check=True)


def _without_git(_: Path, tree: Path) -> None:
    (tree / ".git").unlink()


def _another_repository(_: Path, tree: Path) -> None:
    (tree / ".git").unlink()
    git(tree, "init", "-q")


def _main_checkout(source: Path, tree: Path) -> None:
    (tree / ".git").write_text(f"gitdir: {source}/.git\n")


def _main_branch(_: Path, tree: Path) -> None:
    git(tree, "checkout", "-q", "--ignore-other-worktrees", "main")


@requirement("worktrees:own")
@pytest.mark.parametrize(
    "spoil", [_remove, _without_git, _another_repository, _main_checkout, _main_branch]
)
async def test_no_turn_begins_where_the_worktree_is_not_its_own_any_more(
    house: House, source: Path, spoil: Callable[[Path, Path], None]
) -> None:
    instance = await house.launch(checkouts=[_checkout(source)])
    await turn(instance, 1, "cwd")
    spoil(source, house.workspace)

    refused = instance.prompt(2, "cwd")

    assert refused.failure().code is RuntimeCode.WORKTREE_LEFT
    assert instance.turn_generation is None


@requirement("worktrees:own")
async def test_a_turn_begins_on_any_other_branch_and_on_none(house: House, source: Path) -> None:
    instance = await house.launch(checkouts=[_checkout(source)])

    for generation, words in enumerate((["-b", "other"], ["--detach"]), start=1):
        git(house.workspace, "checkout", "-q", *words)
        assert texts(await turn(instance, generation, "cwd")) == [str(house.workspace)]
