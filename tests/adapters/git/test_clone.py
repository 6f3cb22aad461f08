import asyncio
import fcntl
from pathlib import Path

import pytest

from adapters.forge.forge import Forge
from adapters.git.closed import MirroredGit
from adapters.git.lock import repository_lock
from domain.base_branch import pull_request_heads, pull_request_ref
from domain.git_failure import GitCode, GitFailure
from domain.outcome import Success, failed
from ports.git import LocalRepository
from tests.adapters.git.conftest import Git, access
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def _clone(forge: Forge, closed: MirroredGit) -> Path:
    mirror = (await closed.mirror("repo_1", access(forge))).unwrap()
    return Path((await closed.clone_of("repo_1", mirror, forge.url("app"))).unwrap())


def _refs(repository: Path, run: Git) -> list[str]:
    return run(repository, "for-each-ref", "--format=%(refname)").split()


@requirement("git:clone:keeps")
async def test_a_new_clone_has_the_branches_of_the_remote_and_none_of_its_own(
    forge: Forge, closed: MirroredGit, run: Git
) -> None:
    run(forge.root / "app.git", "branch", "topic")
    run(forge.root / "app.git", "tag", "v1", "main")

    clone = await _clone(forge, closed)

    assert str(clone) == closed.clone_path("repo_1")
    assert _refs(clone, run) == [
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
        "refs/remotes/origin/topic",
        "refs/tags/v1",
    ]
    assert run(clone, "rev-parse", "--abbrev-ref", "origin/HEAD") == "origin/main"
    assert run(clone, "remote", "get-url", "origin") == forge.url("app")
    assert run(clone, "config", "remote.origin.fetch") == "+refs/heads/*:refs/remotes/origin/*"


@requirement("branch:base:renamed")
async def test_a_refreshed_clone_knows_the_new_default_branch_of_its_remote(
    forge: Forge, closed: MirroredGit, run: Git
) -> None:
    clone = await _clone(forge, closed)
    run(forge.root / "app.git", "branch", "--move", "main", "trunk")

    await _clone(forge, closed)

    assert run(clone, "rev-parse", "--abbrev-ref", "origin/HEAD") == "origin/trunk"
    assert "refs/remotes/origin/main" not in _refs(clone, run)


@requirement("branch:pull-request")
@pytest.mark.parametrize("there", ["refs/pull/7/head", "refs/merge-requests/7/head"])
async def test_the_head_of_a_pull_request_comes_into_the_clone_and_stays(
    forge: Forge, closed: MirroredGit, run: Git, there: str
) -> None:
    clone = await _clone(forge, closed)
    before = _refs(clone, run)
    origin = forge.root / "app.git"
    run(origin, "update-ref", there, "main")

    kept = pull_request_ref(7)
    fetched = await closed.fetch_head("repo_1", access(forge), pull_request_heads(7), kept)

    assert fetched == Success(None)
    await _clone(forge, closed)
    assert _refs(clone, run) == [kept, *before]
    assert run(clone, "rev-parse", kept) == run(origin, "rev-parse", "main")


@requirement("branch:pull-request:missing")
async def test_a_pull_request_that_the_remote_does_not_have_is_no_ref_of_the_clone(
    forge: Forge, closed: MirroredGit, run: Git
) -> None:
    clone = await _clone(forge, closed)
    before = _refs(clone, run)

    kept = pull_request_ref(7)
    refused = await closed.fetch_head("repo_1", access(forge), pull_request_heads(7), kept)

    assert refused.failure().code is GitCode.UNKNOWN_BRANCH
    assert _refs(clone, run) == before


@requirement("git:clone:keeps")
async def test_a_refreshed_clone_keeps_its_own_branches_worktrees_tags_and_settings(
    forge: Forge, closed: MirroredGit, run: Git, tmp_path: Path
) -> None:
    origin = forge.root / "app.git"
    run(origin, "branch", "topic")
    clone = await _clone(forge, closed)
    tree = tmp_path / "tree"
    run(clone, "worktree", "add", "-b", "main", str(tree), "origin/main")
    (tree / "work").write_text("work\n", encoding="utf-8")
    run(tree, "add", "work")
    run(tree, "commit", "--quiet", "--message=Work")
    run(tree, "tag", "mine")
    run(tree, "config", "my.setting", "kept")
    work = run(tree, "rev-parse", "HEAD")
    run(origin, "branch", "--delete", "topic")
    run(origin, "branch", "news")
    run(origin, "tag", "v2", "main")

    assert await _clone(forge, closed) == clone

    assert _refs(clone, run) == [
        "refs/heads/main",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
        "refs/remotes/origin/news",
        "refs/tags/mine",
        "refs/tags/v2",
    ]
    assert run(tree, "rev-parse", "HEAD", "mine").split() == [work, work]
    assert run(tree, "status", "--porcelain") == ""
    assert run(tree, "config", "my.setting") == "kept"


@requirement("git:clone:hostile")
async def test_what_an_agent_configures_in_its_worktree_runs_in_no_fetch(
    forge: Forge, closed: MirroredGit, run: Git, tmp_path: Path
) -> None:
    clone = await _clone(forge, closed)
    tree = tmp_path / "tree"
    run(clone, "worktree", "add", "-b", "work", str(tree), "origin/main")
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\n", encoding="utf-8")
    program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("reference-transaction", "post-checkout", "pre-auto-gc", "post-merge"):
        (hooks / hook).symlink_to(program)
    mirror = closed.mirrors / "repo_1"
    for key, value in {
        "core.hooksPath": str(hooks),
        "core.fsmonitor": str(program),
        "core.sshCommand": str(program),
        "core.askPass": str(program),
        "core.alternateRefsCommand": str(program),
        "credential.helper": str(program),
        "http.proxy": "http://127.0.0.1:1",
        "http.sslVerify": "false",
        "url.ext::sh -c touch% '{ran}' .insteadOf": "https://",
        f"remote.{mirror}.uploadpack": str(program),
        "fetch.recurseSubmodules": "true",
        "gc.auto": "1",
    }.items():
        run(tree, "config", key, value)
    (clone / "objects" / "info").mkdir(exist_ok=True)
    (clone / "objects" / "info" / "alternates").write_text(f"{mirror}/objects\n", encoding="utf-8")
    run(forge.root / "app.git", "branch", "news")
    ran.unlink(missing_ok=True)

    await _clone(forge, closed)

    assert "refs/remotes/origin/news" in _refs(clone, run)
    assert not ran.exists()
    assert {seen.user for seen in forge.seen() if seen.accepted} == {"agent"}


@requirement("git:clone:hostile")
async def test_a_clone_that_redirects_its_mirror_to_a_program_fails_and_runs_none(
    forge: Forge, closed: MirroredGit, run: Git, tmp_path: Path
) -> None:
    clone = await _clone(forge, closed)
    ran = tmp_path / "ran"
    run(clone, "config", f"url.ext::sh -c touch% '{ran}' .insteadOf", str(closed.mirrors))

    outcome = await closed.clone_of("repo_1", str(closed.mirrors / "repo_1"), forge.url("app"))

    assert failed(outcome)
    assert not ran.exists()


@requirement("git:lock")
async def test_a_repository_that_another_holds_is_waited_for_and_then_given_up(
    tmp_path: Path,
) -> None:
    repository = tmp_path / "repo_1"
    with (tmp_path / "repo_1.lock").open("w", encoding="utf-8") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        async with repository_lock(repository, 0.05) as locked:
            assert failed(locked)
            assert locked.failure() == GitFailure(GitCode.LOCK_HELD, "repo_1.lock")
    async with repository_lock(repository, 0) as locked:
        assert not failed(locked)


@requirement("git:lock")
async def test_two_who_refresh_one_repository_take_turns(
    forge: Forge, closed: MirroredGit, run: Git
) -> None:
    clones = await asyncio.gather(*(_clone(forge, closed) for _ in range(4)))

    assert set(clones) == {Path(closed.clone_path("repo_1"))}
    assert _refs(clones[0], run) == ["refs/remotes/origin/HEAD", "refs/remotes/origin/main"]
    assert list(closed.temporary.iterdir()) == []


@requirement("git:inspect")
async def test_a_look_at_a_repository_of_the_user(
    closed: MirroredGit, repository: Path, run: Git
) -> None:
    run(repository, "remote", "add", "origin", "git@example.org:team/app.git")
    run(repository, "config", "url.https://mirror/.insteadOf", "git@example.org:")
    (repository / "sub").mkdir()

    below = await closed.inspect(str(repository / "sub"))
    clean = await closed.is_dirty(str(repository))
    (repository / "new").write_text("new\n", encoding="utf-8")
    run(repository, "checkout", "--quiet", "--detach")
    detached = await closed.inspect(str(repository))
    dirty = await closed.is_dirty(str(repository))

    origin = "git@example.org:team/app.git"
    assert below.unwrap() == LocalRepository(str(repository), origin, "main")
    assert detached.unwrap() == LocalRepository(str(repository), origin, "HEAD")
    assert (clean.unwrap(), dirty.unwrap()) == (False, True)


@requirement("git:inspect")
async def test_a_look_changes_nothing_and_trusts_whom_the_user_trusts(
    closed: MirroredGit, repository: Path, run: Git, host: dict[str, str], tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    run(repository, "config", "core.fsmonitor", f"touch '{ran}'; :")
    (repository / "README").touch()
    index = (repository / ".git" / "index").read_bytes()
    host["GIT_TEST_ASSUME_DIFFERENT_OWNER"] = "1"

    distrusted = await closed.inspect(str(repository))
    unknown = await closed.is_dirty(str(repository))
    run(tmp_path, "config", "--global", "safe.directory", str(repository))
    trusted = await closed.inspect(str(repository))
    clean = await closed.is_dirty(str(repository))

    assert distrusted.failure().code is GitCode.DUBIOUS_OWNERSHIP
    assert trusted.unwrap() == LocalRepository(str(repository), None, "main")
    assert unknown.failure().code is GitCode.DUBIOUS_OWNERSHIP
    assert clean.unwrap() is False
    assert (repository / ".git" / "index").read_bytes() == index
    assert not ran.exists()


@requirement("git:inspect")
async def test_a_folder_that_is_no_repository_is_told(closed: MirroredGit, tmp_path: Path) -> None:
    assert (await closed.inspect(str(tmp_path))).failure().code is GitCode.NOT_A_REPOSITORY


def _origins(clone: Path, run: Git) -> list[str]:
    return run(clone, "config", "--local", "--get-all", "remote.origin.url").split()


@requirement("git:origin")
async def test_an_origin_is_changed_where_it_is_another_one(
    forge: Forge, closed: MirroredGit, run: Git
) -> None:
    clone = await _clone(forge, closed)
    ssh = "git@forge.example:acme/app.git"

    (await closed.point_origin("repo_1", ssh)).unwrap()
    changed = _origins(clone, run)
    run(clone, "config", "--add", "remote.origin.url", "https://second.example/app")
    (await closed.point_origin("repo_1", ssh)).unwrap()
    one_of_two = _origins(clone, run)
    run(clone, "config", "--unset-all", "remote.origin.url")
    (await closed.point_origin("repo_1", forge.url("app"))).unwrap()

    assert (changed, one_of_two) == ([ssh], [ssh])
    assert _origins(clone, run) == [forge.url("app")]


@requirement("git:origin")
async def test_an_origin_that_is_right_already_is_not_written(
    forge: Forge, closed: MirroredGit, run: Git
) -> None:
    clone = await _clone(forge, closed)
    run(clone, "config", "url.https://elsewhere.example/.insteadOf", f"https://{forge.host}/")
    (clone / "config.lock").touch()

    same = await closed.point_origin("repo_1", forge.url("app"))
    other = await closed.point_origin("repo_1", "https://forge.example/app")

    assert not failed(same)
    assert failed(other)
    assert "could not lock config file" in other.failure().detail


@requirement("git:origin")
async def test_many_who_change_an_origin_at_once_leave_one(
    forge: Forge, closed: MirroredGit, run: Git
) -> None:
    clone = await _clone(forge, closed)
    wanted = [f"https://forge.example/app{number % 2}.git" for number in range(8)]

    done = await asyncio.gather(*(closed.point_origin("repo_1", each) for each in wanted))

    assert not any(failed(each) for each in done)
    assert _origins(clone, run)[0] in wanted
    assert len(_origins(clone, run)) == 1
