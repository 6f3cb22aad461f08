"""Git in a checkout for a client: real repositories, real hooks, and nothing that is lost."""

from pathlib import Path

import pytest

from adapters.agentctl.server.checkout_git import Where
from adapters.agentctl.server.discarding import Discarding
from domain.git_change import Commit, Discard, Fetch, Push, Stage, Unstage
from domain.git_diff import DiffRequest
from domain.git_failure import GitCode
from domain.git_history import LogRequest
from domain.git_status import ChangedPath
from domain.identity import TaskId
from domain.outcome import failed
from domain.secret import Secret
from ports.git import GitProcess
from tests.adapters.agentctl.server.conftest import House, furnished, git
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
def source(source: Path) -> Path:
    return furnished(source)


@pytest.fixture
def tree(house: House, source: Path) -> Path:
    """A worktree on a branch of its own."""
    git(source, "worktree", "add", "-q", "-b", "feature/a", str(house.workspace))
    return house.workspace


@pytest.fixture
def where(house: House, tree: Path) -> Where:
    return Where(str(tree), TaskId("t1"), _environment(house))


@pytest.fixture
def remote(source: Path, tmp_path: Path) -> Path:
    """The repository that `origin` names."""
    path = tmp_path / "remote.git"
    git(source, "init", "-q", "--bare", str(path))
    git(source, "remote", "add", "origin", str(path))
    return path


def _environment(house: House) -> dict[str, str]:
    return {
        **house.removal.host,
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@localhost",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@localhost",
    }


def _hook(source: Path, name: str, body: str) -> None:
    hook = source / ".git" / "hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{body}\n")
    hook.chmod(0o755)


def _short(tree: Path) -> list[str]:
    done = git(tree, "status", "--porcelain", "--untracked-files=all")
    return sorted(line.strip() for line in done.splitlines())


@requirement("session-git:look")
async def test_a_status_tells_each_path_and_where_the_branch_stands(
    house: House, source: Path, remote: Path, tree: Path, where: Where
) -> None:
    git(tree, "push", "-q", "-u", "origin", "feature/a")
    git(tree, "commit", "-q", "--allow-empty", "-m", "second")
    (tree / "file").write_text("changed\n")
    git(tree, "mv", "gone", "moved")
    (tree / "new file").write_text("")

    status = (await house.git.status(where)).unwrap()

    assert (status.branch, status.upstream) == ("feature/a", "origin/feature/a")
    assert (status.ahead, status.behind, status.omitted) == (1, 0, 0)
    assert status.commit == git(tree, "rev-parse", "HEAD")
    assert status.changed == (
        ChangedPath("file", ".", "M"),
        ChangedPath("moved", "R", ".", "gone"),
        ChangedPath("new file", "?", "?"),
    )


@requirement("session-git:look")
async def test_a_diff_shows_what_is_asked_for(house: House, tree: Path, where: Where) -> None:
    (tree / "file").write_text("staged\n")
    git(tree, "add", "file")
    (tree / "gone").write_text("not staged\n")

    loose = (await house.git.diff(where, DiffRequest())).unwrap()
    staged = (await house.git.diff(where, DiffRequest(staged=True))).unwrap()
    named = (await house.git.diff(where, DiffRequest(paths=("file",)))).unwrap()
    git(tree, "commit", "-qm", "second")
    since = (await house.git.diff(where, DiffRequest(base="main"))).unwrap()

    assert [each.path for each in loose.files] == ["gone"]
    assert "+not staged\n" in loose.patch
    assert [(each.path, each.added, each.deleted) for each in staged.files] == [("file", 1, 1)]
    assert (named.files, named.patch) == ((), "")
    assert [each.path for each in since.files] == ["file", "gone"]


@requirement("session-git:look")
async def test_a_diff_shows_no_secret(house: House, tree: Path, where: Where) -> None:
    house.redactor.register(Secret("kdl_0123456789abcdef"))
    (tree / "file").write_text("kdl_0123456789abcdef\n")

    shown = (await house.git.diff(where, DiffRequest())).unwrap()

    assert "+[REDACTED]\n" in shown.patch


@requirement("session-git:look")
async def test_a_log_is_of_the_branch_or_of_what_it_adds(
    house: House, tree: Path, where: Where
) -> None:
    git(tree, "commit", "-q", "--allow-empty", "-m", "second\n\nwith a body")

    whole = (await house.git.log(where, LogRequest())).unwrap()
    added = (await house.git.log(where, LogRequest(base="main"))).unwrap()

    assert [each.message for each in whole] == ["second\n\nwith a body", "first"]
    assert added == whole[:1]
    assert whole[0].parents == (whole[1].commit,)


@requirement("session-git:change")
async def test_paths_are_staged_and_unstaged_literally(
    house: House, tree: Path, where: Where
) -> None:
    for name in ("*", "--all", ":(top)x", "plain"):
        (tree / name).write_text("")

    (await house.git.change(where, Stage(("*", "--all", ":(top)x")))).unwrap()

    assert _short(tree) == ["?? plain", "A  *", "A  --all", "A  :(top)x"]

    (await house.git.change(where, Unstage(("*",)))).unwrap()

    assert _short(tree) == ["?? *", "?? plain", "A  --all", "A  :(top)x"]

    (await house.git.change(where, Stage())).unwrap()
    (await house.git.change(where, Unstage())).unwrap()

    assert _short(tree) == ["?? *", "?? --all", "?? :(top)x", "?? plain"]


@requirement("session-git:change")
async def test_a_commit_runs_the_hooks_of_the_host_and_tells_their_words(
    house: House, source: Path, tree: Path, where: Where
) -> None:
    _hook(source, "pre-commit", "echo checked by the hook; git config a.b >&2")
    environment = {
        **where.environment,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "a.b",
        "GIT_CONFIG_VALUE_0": "from the instance",
    }
    (tree / "file").write_text("changed\n")
    change = Commit("--amend is no option\n\nHere.", everything=True)

    done = (await house.git.change(Where(str(tree), where.task, environment), change)).unwrap()

    assert done.commit == git(tree, "rev-parse", "HEAD")
    assert "checked by the hook" in done.output
    assert "from the instance" in done.output
    assert git(tree, "log", "-1", "--format=%B|%an") == "--amend is no option\n\nHere.\n|Ada"


@requirement("session-git:failures")
async def test_what_git_refuses_has_a_code(
    house: House, source: Path, remote: Path, tree: Path, where: Where
) -> None:
    async def code(change: Commit | Push | Fetch) -> GitCode:
        return (await house.git.change(where, change)).failure().code

    assert await code(Commit("Nothing.")) is GitCode.NOTHING_TO_COMMIT
    assert await code(Fetch("elsewhere")) is GitCode.NOT_FOUND

    (await house.git.change(where, Push())).unwrap()
    git(tree, "push", "-q", "origin", "main:feature/a")
    git(tree, "commit", "-q", "--allow-empty", "-m", "second")
    git(tree, "push", "-q", "origin", "feature/a")
    git(tree, "reset", "-q", "--hard", "main")
    git(tree, "commit", "-q", "--allow-empty", "-m", "another")
    assert await code(Push()) is GitCode.NON_FAST_FORWARD

    lock = Path(git(tree, "rev-parse", "--git-path", "index.lock"))
    lock.write_text("")
    assert (await house.git.change(where, Stage())).failure().code is GitCode.LOCK_HELD
    lock.unlink()

    git(tree, "checkout", "-q", "--detach")
    assert await code(Push()) is GitCode.NO_BRANCH


@requirement("session-git:failures")
async def test_a_hook_that_refuses_is_told_with_its_words(
    house: House, source: Path, tree: Path, where: Where
) -> None:
    _hook(source, "pre-commit", "echo lines are too long; exit 1")
    (tree / "file").write_text("changed\n")

    failure = (await house.git.change(where, Commit("Second.", everything=True))).failure()

    assert failure.code is GitCode.FAILED
    assert "lines are too long" in failure.detail


@requirement("session-git:change")
async def test_a_push_goes_to_the_branch_of_the_same_name_and_a_lease_protects_others(
    house: House, remote: Path, tree: Path, where: Where
) -> None:
    (await house.git.change(where, Push())).unwrap()
    git(tree, "commit", "-q", "--amend", "-m", "written anew")

    refused = await house.git.change(where, Push())
    pushed = await house.git.change(where, Push(with_lease=True))

    assert refused.failure().code is GitCode.NON_FAST_FORWARD
    assert not failed(pushed)
    assert git(remote, "rev-parse", "refs/heads/feature/a") == git(tree, "rev-parse", "HEAD")
    assert git(tree, "rev-parse", "--abbrev-ref", "@{upstream}") == "origin/feature/a"

    elsewhere = git(tree, "commit-tree", "HEAD^{tree}", "-m", "of somebody else")
    git(remote, "fetch", "-q", str(tree), f"+{elsewhere}:refs/heads/feature/a")
    git(tree, "commit", "-q", "--amend", "-m", "written again")

    overtaken = await house.git.change(where, Push(with_lease=True))

    assert overtaken.failure().code is GitCode.NON_FAST_FORWARD
    assert git(remote, "rev-parse", "refs/heads/feature/a") == elsewhere


@requirement("session-git:change")
async def test_a_fetch_brings_what_the_remote_has(
    house: House, source: Path, remote: Path, tree: Path, where: Where
) -> None:
    git(source, "push", "-q", "origin", "main:other")
    git(tree, "update-ref", "-d", "refs/remotes/origin/other")

    (await house.git.change(where, Fetch())).unwrap()

    assert git(tree, "rev-parse", "origin/other") == git(source, "rev-parse", "main")


def _work(tree: Path) -> None:
    """Changes of every kind."""
    (tree / "file").write_text("staged\n")
    git(tree, "add", "file")
    (tree / "file").write_text("after staging\n")
    git(tree, "rm", "-q", "gone")
    (tree / "folder").mkdir()
    (tree / "folder" / "new").write_text("new\n")
    (tree / "added").write_text("added\n")
    git(tree, "add", "added")
    (tree / "ignored").write_text("ignored\n")


@requirement("session-git:discard")
async def test_what_is_discarded_everywhere_is_in_a_ref(
    house: House, source: Path, tree: Path, where: Where
) -> None:
    _work(tree)
    before = _short(tree)

    done = (await house.git.change(where, Discard())).unwrap()

    assert done.kept is not None
    assert done.kept.startswith("refs/kandev/discarded/t1/")
    assert _short(tree) == []
    assert sorted(path.name for path in tree.iterdir()) == [
        ".git",
        ".gitignore",
        "file",
        "gone",
        "ignored",
    ]
    git(tree, "read-tree", "--reset", "-u", done.kept)
    git(tree, "read-tree", "--reset", f"{done.kept}^2")
    assert _short(tree) == before
    assert (tree / "file").read_text() == "after staging\n"
    assert git(tree, "show", ":file") == "staged"


@requirement("session-git:discard")
async def test_only_what_is_named_is_discarded(
    house: House, source: Path, tree: Path, where: Where
) -> None:
    _work(tree)

    done = (await house.git.change(where, Discard(("folder", "file", "ignored")))).unwrap()

    assert _short(tree) == ["A  added", "D  gone"]
    assert (tree / "ignored").exists()
    assert not (tree / "folder").exists()
    assert git(source, "show", f"{done.kept}:folder/new") == "new"
    assert (await house.git.change(where, Discard(("file",)))).unwrap().kept is None


@requirement("session-git:discard")
async def test_a_rename_and_a_conflict_are_discarded_whole(
    house: House, source: Path, tree: Path, where: Where
) -> None:
    git(tree, "mv", "gone", "moved")
    (await house.git.change(where, Discard(("moved",)))).unwrap()
    assert _short(tree) == []

    (source / "file").write_text("theirs\n")
    git(source, "commit", "-qam", "theirs")
    (tree / "file").write_text("ours\n")
    git(tree, "commit", "-qam", "ours")
    with pytest.raises(Exception, match="merge"):
        git(tree, "merge", "-q", "main")
    (tree / "added").write_text("")
    assert (await house.git.change(where, Discard(("added",)))).failure().code is GitCode.UNMERGED
    (await house.git.change(where, Discard())).unwrap()

    assert _short(tree) == []
    assert (tree / "file").read_text() == "ours\n"


@requirement("session-git:discard")
async def test_before_the_first_commit_everything_can_be_discarded(
    house: House, tmp_path: Path
) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q", "-b", "main")
    (fresh / "staged").write_text("staged\n")
    git(fresh, "add", "staged")
    (fresh / "loose").write_text("loose\n")

    done = await house.git.change(Where(str(fresh), TaskId("t1"), house.removal.host), Discard())

    assert _short(fresh) == []
    assert git(fresh, "show", f"{done.unwrap().kept}:loose") == "loose"


class WritingGit:
    """Git beside an agent that writes to a file just before git moves it."""

    def __init__(self, git: GitProcess, file: Path) -> None:
        self._git = git
        self._file = file

    async def __call__(self, arguments: list[str], **rest: object) -> object:
        if "read-tree" in arguments:
            self._file.write_text("written late\n")
        return await self._git(arguments, **rest)  # type: ignore[arg-type]  # passed through


@requirement("session-git:discard")
@pytest.mark.parametrize("name", ["file", "folder/new", "gone"])
async def test_what_is_written_meanwhile_is_not_lost(
    house: House, tree: Path, where: Where, name: str
) -> None:
    _work(tree)
    late = WritingGit(house.git.git, tree / name)
    discard = Discarding(late, house.removal.now)  # type: ignore[arg-type]  # a git of the test's

    refused = await discard(where.directory, where.environment, where.task, None)

    assert refused.failure().code is GitCode.CHANGED_MEANWHILE
    assert (tree / name).read_text() == "written late\n"


@requirement("session-git:discard")
async def test_a_repository_of_its_own_in_the_checkout_is_left_alone(
    house: House, tree: Path, where: Where
) -> None:
    (tree / "inner").mkdir()
    git(tree / "inner", "init", "-q")
    (tree / "inner" / "work").write_text("work\n")

    done = (await house.git.change(where, Discard())).unwrap()

    assert done.kept is None
    assert (tree / "inner" / "work").read_text() == "work\n"
