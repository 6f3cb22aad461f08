"""Pushes are seen in the reflogs of real repositories, once each, whatever lies beside them."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from adapters.agentctl import wire
from adapters.agentctl.server import push_watch
from adapters.agentctl.server.push_watch import PushWatch
from adapters.git.process import LocalGit
from adapters.process.spawn import LocalProcesses
from domain.event import EventKind, Json
from tests.adapters.agentctl.server.conftest import House, watch
from tests.fakes.redactor import ListingRedactor
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/"}
LEASE = wire.Lease("r1", "forge.example", "/acme/app", "kdl_x", "kdc_x")
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
BRANCH = "feature/one"
REF = f"refs/remotes/origin/{BRANCH}"
MAIN = "refs/remotes/origin/main"


def _git(directory: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments],
        cwd=directory,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return done.stdout.strip()


@dataclass
class Work:
    """A repository with a remote and two worktrees, and what was recorded of it."""

    root: Path
    recorded: list[Json] = field(default_factory=list)
    flushed: int = 0
    commits: int = 0

    @property
    def source(self) -> Path:
        return self.root / "source"

    @property
    def one(self) -> Path:
        return self.root / "one"

    @property
    def two(self) -> Path:
        return self.root / "two"

    def asked(self, executor: str, leases: Sequence[wire.Lease]) -> wire.Create:
        return wire.Create(
            execution="e1",
            task="t1",
            session="s1",
            agent="minimal",
            command=["/bin/true"],
            hard_stop=False,
            executor=executor,
            workspace=str(self.root),
            checkouts=[wire.Checkout("r1", str(self.source), "one", BRANCH, "main")],
            layers=[],
            managed=wire.Managed([], list(leases)),
            removes=[],
            acp_session=None,
            approve_automatically=False,
        )

    async def watched(
        self,
        executor: str = "worktree",
        leases: Sequence[wire.Lease] = (LEASE,),
        **variables: str,
    ) -> PushWatch:
        return await push_watch.begin(
            self.asked(executor, leases),
            LocalGit(LocalProcesses(None), ListingRedactor()),
            {**ENVIRONMENT, **variables},
            self._record,
            self._flush,
            lambda: NOW,
        )

    async def told(self, seen: PushWatch) -> list[tuple[object, list[str]]]:
        """What another look records: whose each push was, and the refs that it moved."""
        before = len(self.recorded)
        await seen.look()
        return [
            (each["whose"], [update["ref"] for update in each["updates"]])  # type: ignore[attr-defined]  # JSON
            for each in self.recorded[before:]
        ]

    def commit(self, where: Path) -> None:
        self.commits += 1
        _git(where, "commit", "-q", "--allow-empty", "-m", f"commit {self.commits}")

    def push(self, where: Path, *refs: str) -> None:
        _git(where, "push", "-q", "origin", *(refs or ("HEAD",)))

    def _record(self, kind: EventKind, body: Json) -> None:
        assert kind is EventKind.PUSH
        self.recorded.append(body)

    def _flush(self) -> None:
        self.flushed += 1


@pytest.fixture
def work(tmp_path: Path) -> Work:
    made = Work(tmp_path)
    _git(tmp_path, "init", "-q", "--bare", "remote.git")
    _git(tmp_path, "init", "-q", "-b", "main", "source")
    made.commit(made.source)
    _git(made.source, "remote", "add", "origin", str(tmp_path / "remote.git"))
    made.push(made.source)
    for folder in ("one", "two"):
        _git(made.source, "worktree", "add", "-q", "-b", f"feature/{folder}", f"../{folder}")
    return made


@requirement("ledger:push")
async def test_what_was_pushed_before_is_not_news_and_what_is_pushed_is_told_once(
    work: Work,
) -> None:
    work.commit(work.one)
    work.push(work.one)
    seen = await work.watched()
    before = await work.told(seen)
    work.commit(work.one)
    work.push(work.one, "HEAD", "HEAD:refs/heads/second")
    told, again = await work.told(seen), await work.told(seen)

    assert (before, again) == ([], [])
    assert told == [("session", [REF, "refs/remotes/origin/second"])]
    head, parent = (_git(work.one, "rev-parse", name) for name in ("HEAD", "HEAD~1"))
    assert work.recorded[0]["updates"] == [
        {"ref": REF, "old": parent, "new": head},
        {"ref": "refs/remotes/origin/second", "old": "0" * 40, "new": head},
    ]


@requirement("ledger:push:whose")
async def test_pushes_from_other_worktrees_are_told_where_they_could_be_ours(work: Work) -> None:
    seen = await work.watched()
    for where in (work.two, work.source):
        work.commit(where)
        work.push(where)
    others = await work.told(seen)
    work.push(work.two, f"{_git(work.source, 'rev-parse', 'main~1')}:refs/heads/elsewhere")
    unclear = await work.told(seen)
    work.commit(work.one)
    work.push(work.one, "+HEAD:main")
    ours = await work.told(seen)

    assert others == []
    assert unclear == [("ambiguous", ["refs/remotes/origin/elsewhere"])]
    assert ours == [("session", [MAIN])]


@requirement("ledger:push:whose")
async def test_in_the_users_own_checkout_a_push_is_somebodys_there(work: Work) -> None:
    seen = await work.watched("local")
    work.commit(work.source)
    work.push(work.source)
    here = await work.told(seen)
    work.commit(work.one)
    work.push(work.one)

    assert here == [("checkout", [MAIN])]
    assert await work.told(seen) == []


@requirement("ledger:push")
async def test_a_reflog_that_was_cut_or_made_anew_tells_nothing_twice(work: Work) -> None:
    seen = await work.watched()
    for _ in range(2):
        work.commit(work.one)
        work.push(work.one)
    first = await work.told(seen)
    _git(work.one, "reflog", "delete", f"{REF}@{{1}}")
    cut = await work.told(seen)
    work.commit(work.one)
    work.push(work.one)
    grown = await work.told(seen)
    _git(work.one, "update-ref", "-d", REF)
    gone = await work.told(seen)
    work.commit(work.one)
    work.push(work.one)

    assert sum(len(refs) for _, refs in first) == 2
    assert (cut, gone) == ([], [])
    assert grown == [("session", [REF])]
    assert await work.told(seen) == [("session", [REF])]


@requirement("ledger:push:tally")
@pytest.mark.parametrize(
    ("value", "keeps"), [("false", False), ("off", False), ("always", True), ("true", True)]
)
async def test_where_git_keeps_no_reflogs_that_is_told(work: Work, value: str, keeps: bool) -> None:
    _git(work.source, "config", "core.logAllRefUpdates", value)
    seen = await work.watched()
    work.commit(work.one)
    work.push(work.one, "HEAD:refs/heads/anew")

    unseen: list[Json] = [{"repository_id": "r1", "unseen": "reflogs_off"}]
    assert work.recorded == ([] if keeps else unseen)
    assert bool(await work.told(seen)) is keeps


@requirement("ledger:push:tally")
async def test_the_agents_own_configuration_and_other_formats_count(work: Work) -> None:
    await work.watched(
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="core.logAllRefUpdates",
        GIT_CONFIG_VALUE_0="false",
    )
    (work.source / ".git" / "reftable").mkdir()
    await work.watched()

    assert [each["unseen"] for each in work.recorded] == ["reflogs_off", "reflogs_off"]


@pytest.mark.parametrize("leases", [[], [msgspec.structs.replace(LEASE, repository="r2")]])
async def test_without_a_lease_nothing_is_watched(work: Work, leases: list[wire.Lease]) -> None:
    seen = await work.watched(leases=leases)
    work.commit(work.one)
    work.push(work.one)

    assert await work.told(seen) == []
    assert work.flushed == 0


async def test_links_pipes_and_nonsense_in_their_place_are_passed_over(work: Work) -> None:
    seen = await work.watched()
    logs = work.source / ".git" / "logs" / "refs" / "remotes" / "origin"
    os.mkfifo(logs / "pipe")
    (logs / "link").symlink_to("/dev/zero")
    (logs / "folder").symlink_to("/")
    (logs / "nonsense").write_bytes(b"\xff\0\n" * 100)
    (logs / os.fsdecode(b"\xff")).write_bytes(b"")
    work.commit(work.one)
    work.push(work.one)

    assert await work.told(seen) == [("session", [REF])]
    shutil.rmtree(work.source / ".git" / "logs")
    assert await work.told(seen) == []


@requirement("ledger:push")
async def test_a_push_that_a_question_brought_to_light_is_from_before_it(work: Work) -> None:
    seen = await work.watched()
    for ago in (None, 2.0):
        work.commit(work.one)
        work.push(work.one)
        await seen.look(ago)

    before = (NOW - timedelta(seconds=2)).isoformat()
    assert [each["before"] for each in work.recorded] == [None, before]


async def test_looks_at_once_tell_a_push_once(work: Work) -> None:
    seen = await work.watched()
    work.commit(work.one)
    work.push(work.one)
    await asyncio.gather(*(seen.look() for _ in range(20)))

    assert [each["whose"] for each in work.recorded] == ["session"]
    assert work.flushed <= 2


@requirement("ledger:push")
async def test_an_instance_looks_when_a_credential_was_given_and_when_a_turn_ends(
    house: House, work: Work
) -> None:
    checkout = wire.Checkout("r1", str(work.source), "", "feature/three", "main")
    instance = await house.launch(
        checkouts=[checkout], managed=wire.Managed([wire.Host("forge.example")], [LEASE])
    )
    [opened] = house.sockets.held
    work.commit(house.workspace)
    work.push(house.workspace)
    assert opened.given is not None
    await opened.given(3.0)
    given = instance.log.last
    work.commit(house.workspace)
    work.push(house.workspace)
    instance.prompt(1, "say:x").unwrap()
    turn = await watch(instance, "complete")
    work.commit(house.workspace)
    work.push(house.workspace)
    await instance.stop()
    everything = await watch(instance)

    kinds = [event.kind for event in everything]
    assert next(event.n for event in turn if event.kind == "push") == given
    assert kinds.count("push") == 3
    assert kinds[-2:] == ["push", "exited"]
    assert [kind for kind in kinds if kind in {"push", "complete"}][:3] == [
        "push",
        "push",
        "complete",
    ]
