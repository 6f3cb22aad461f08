import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.forge.certificate import make
from adapters.forge.forge import Forge
from adapters.git.closed import MirroredGit
from domain.git_failure import GitCode, GitFailure
from domain.outcome import Result, failed
from ports.git import RemoteAccess
from tests.adapters.git.conftest import TOKEN, Git, access
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def _code(outcome: Result[str, GitFailure]) -> GitCode:
    assert failed(outcome)
    return outcome.failure().code


def _everything(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


@requirement("git:probe:branch")
async def test_a_probe_answers_the_default_branch(
    forge: Forge, closed: MirroredGit, run: Git
) -> None:
    run(forge.root / "app.git", "branch", "feature/trunk")
    run(forge.root / "app.git", "symbolic-ref", "HEAD", "refs/heads/feature/trunk")

    assert (await closed.probe(access(forge))).unwrap() == "feature/trunk"


@requirement("git:probe:branch")
async def test_a_remote_without_commits_answers_main_and_is_mirrored(
    forge: Forge, closed: MirroredGit, run: Git
) -> None:
    run(forge.root, "init", "--quiet", "--bare", "--initial-branch=trunk", "empty.git")
    remote = access(forge, "empty")

    assert (await closed.probe(remote)).unwrap() == "main"
    for _ in range(2):
        mirror = (await closed.mirror("repo_1", remote)).unwrap()
        assert not failed(await closed.clone_of("repo_1", mirror, remote.url))


@requirement("git:mirror:refresh")
async def test_a_mirror_follows_the_remote(forge: Forge, closed: MirroredGit, run: Git) -> None:
    origin = forge.root / "app.git"
    run(origin, "branch", "topic")
    run(origin, "update-ref", "refs/pull/1/head", "main")
    mirror = Path((await closed.mirror("repo_1", access(forge))).unwrap())
    run(origin, "branch", "--delete", "topic")
    run(origin, "branch", "topic/below")
    run(origin, "tag", "v1", "main")

    assert (await closed.mirror("repo_1", access(forge))).unwrap() == str(mirror)

    names = run(mirror, "for-each-ref", "--format=%(refname)").split()
    assert names == ["refs/heads/main", "refs/heads/topic/below", "refs/tags/v1"]
    assert run(mirror, "rev-parse", "--is-bare-repository") == "true"
    assert list(closed.temporary.iterdir()) == []


@requirement("git:mirror:kept")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("token", GitCode.AUTHENTICATION),
        ("forbidden", GitCode.AUTHENTICATION),
        ("missing", GitCode.NOT_FOUND),
        ("authority", GitCode.CERTIFICATE),
        ("gone", GitCode.UNREACHABLE),
    ],
)
async def test_a_failed_mirror_leaves_what_was_there(
    forge: Forge, closed: MirroredGit, change: str, code: GitCode
) -> None:
    mirror = Path((await closed.mirror("repo_1", access(forge))).unwrap())
    before = _everything(mirror)
    remote = {
        "token": access(forge, token="wrong"),
        "forbidden": access(forge, "other"),
        "missing": access(forge, "nowhere"),
        "authority": replace(access(forge), certificate_authority=None),
        "gone": replace(access(forge), url="https://127.0.0.1:1/app.git"),
    }[change]

    assert _code(await closed.mirror("repo_1", remote)) is code
    assert _code(await closed.mirror("repo_2", remote)) is code

    assert _everything(mirror) == before
    assert [path.name for path in closed.mirrors.iterdir() if path.is_dir()] == ["repo_1"]
    assert list(closed.temporary.iterdir()) == []
    assert list(closed.closed.directory.iterdir()) == []


@requirement("git:closed:verified")
@pytest.mark.parametrize("given", ["connection", "variable"])
async def test_a_bundle_of_the_hosts_is_trusted_unless_the_connection_has_an_authority(
    forge: Forge, closed: MirroredGit, host: dict[str, str], tmp_path: Path, given: str
) -> None:
    bundle = tmp_path / "bundle.pem"
    own = given == "connection"
    bundle.write_text(make().authority if own else forge.authority, encoding="ascii")
    host["GIT_SSL_CAINFO"] = str(bundle)
    remote = replace(access(forge), certificate_authority=forge.authority if own else None)

    assert not failed(await closed.probe(remote))


@requirement("git:closed:verified")
async def test_a_certificate_is_verified_whatever_the_host_says(
    forge: Forge, closed: MirroredGit, host: dict[str, str]
) -> None:
    host["GIT_SSL_NO_VERIFY"] = "1"
    Path(host["HOME"], ".gitconfig").write_text("[http]\n\tsslVerify = false\n", encoding="utf-8")
    remote = replace(access(forge), certificate_authority=None)

    assert _code(await closed.probe(remote)) is GitCode.CERTIFICATE
    assert forge.seen() == []


@requirement("git:closed:proxy")
async def test_the_proxy_of_the_control_plane_is_used(
    forge: Forge, closed: MirroredGit, host: dict[str, str]
) -> None:
    host["https_proxy"] = "http://127.0.0.1:1"
    assert _code(await closed.probe(access(forge))) is GitCode.UNREACHABLE

    host["no_proxy"] = "127.0.0.1"
    assert (await closed.probe(access(forge))).unwrap() == "main"


@requirement("git:closed:protocols")
async def test_a_credential_goes_over_https_only(
    forge: Forge, closed: MirroredGit, repository: Path
) -> None:
    plain = replace(access(forge), url=access(forge).url.replace("https://", "http://"))
    local = replace(access(forge), url=str(repository))

    assert "'http' not allowed" in (await closed.probe(plain)).failure().detail
    assert "'file' not allowed" in (await closed.probe(local)).failure().detail


@requirement("git:closed:protocols")
async def test_without_a_credential_no_remote_runs_a_program(
    closed: MirroredGit, repository: Path, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    program = RemoteAccess(f"ext::sh -c touch% {ran}")

    assert "'ext' not allowed" in (await closed.probe(program)).failure().detail
    assert not ran.exists()
    assert (await closed.probe(RemoteAccess(str(repository)))).unwrap() == "main"


@requirement("git:mirror:own-configuration")
async def test_nothing_written_into_a_mirror_steers_the_next_fetch(
    forge: Forge, closed: MirroredGit, run: Git, tmp_path: Path
) -> None:
    mirror = Path((await closed.mirror("repo_1", access(forge))).unwrap())
    ran = tmp_path / "ran"
    hook = mirror / "hooks" / "reference-transaction"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch '{ran}'\n", encoding="utf-8")
    hook.chmod(0o755)
    for key, value in {
        "credential.helper": f"!touch '{ran}'; :",
        "core.sshCommand": f"touch '{ran}'",
        "http.proxy": "http://127.0.0.1:1",
        "http.sslVerify": "false",
        "url.https://127.0.0.1:1/.insteadOf": "https://",
        "gc.auto": "1",
    }.items():
        run(mirror, "config", key, value)
    run(forge.root / "app.git", "branch", "topic")

    assert not failed(await closed.mirror("repo_1", access(forge)))

    assert run(mirror, "rev-parse", "topic") == run(forge.root / "app.git", "rev-parse", "main")
    assert not ran.exists()
    assert {seen.user for seen in forge.seen() if seen.accepted} == {"agent"}
    assert run(mirror, "config", "--local", "--list").splitlines() == [
        "core.repositoryformatversion=0",
        "core.filemode=true",
        "core.bare=true",
    ]


@requirement("git:credential:nowhere")
async def test_the_password_is_in_no_argument_environment_or_file(
    forge: Forge, closed: MirroredGit, host: dict[str, str]
) -> None:
    home = closed.mirrors.parent
    with _watch(home, TOKEN) as watch:
        mirror = (await closed.mirror("repo_1", access(forge))).unwrap()
        await closed.clone_of("repo_1", mirror, forge.url("app"))
        await closed.mirror("repo_1", access(forge))

    assert any("git-remote-https" in name for name in watch.programs)
    assert watch.found == []
    assert [name for name, data in _everything(home).items() if TOKEN.encode() in data] == []
    assert _everything(Path(host["HOME"])).keys() == {".gitconfig"}


class _Watch:
    """Looks at every process and every file below a directory, again and again."""

    def __init__(self, home: Path, value: str) -> None:
        self.programs: set[str] = set()
        self.found: list[str] = []
        self._home = home
        self._value = value.encode()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.is_set():
            for process in Path("/proc").iterdir():
                if process.name.isdecimal() and int(process.name) != os.getpid():
                    self._process(process)
            for folder, _, names in os.walk(self._home):
                files = [Path(folder, name) for name in names]
                self.found += [str(file) for file in files if self._value in _bytes(file)]

    def _process(self, process: Path) -> None:
        words = _bytes(process / "cmdline")
        self.programs.add(words.split(b"\0")[0].decode())
        if self._value in words + _bytes(process / "environ"):
            self.found.append(words.decode())


@contextmanager
def _watch(home: Path, value: str) -> Iterator[_Watch]:
    watch = _Watch(home, value)
    watch.start()
    try:
        yield watch
    finally:
        watch.stop()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
