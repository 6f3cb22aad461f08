import base64
import gzip
import os
import ssl
import threading
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from adapters.forge import server
from adapters.forge.forge import Forge, Seen
from tests.adapters.forge.conftest import TOKEN, Git, commit, connect
from tests.requirements import requirement


def _main(forge: Forge, git: Git) -> str:
    return git("-C", str(forge.root / "team/app.git"), "rev-parse", "main").stdout.strip()


@requirement("forge:serves")
def test_a_client_with_the_token_clones_and_pushes(forge: Forge, git: Git, clone: Path) -> None:
    commit(git, clone, b"work\n")
    pushed = git("-C", "clone", "push", "--quiet", "origin", "main")

    assert (clone / "src" / "greeting.txt").read_text(encoding="utf-8") == "hello\n"
    assert pushed.returncode == 0, pushed.stderr
    assert _main(forge, git) == git("-C", "clone", "rev-parse", "HEAD").stdout.strip()


@requirement("forge:serves")
@pytest.mark.parametrize("size", [200_000, 5_000_000])
def test_a_push_in_chunks_arrives_whole(forge: Forge, git: Git, clone: Path, size: int) -> None:
    commit(git, clone, os.urandom(size))
    pushed = git("-C", "clone", "-c", "http.postBuffer=70000", "push", "--quiet", "origin", "main")

    assert pushed.returncode == 0, pushed.stderr
    assert _main(forge, git) == git("-C", "clone", "rev-parse", "HEAD").stdout.strip()


@requirement("forge:serves")
def test_a_compressed_request_is_understood(forge: Forge) -> None:
    connection = connect(forge)
    connection.request(
        "POST",
        "/team/app.git/git-upload-pack",
        body=gzip.compress(b"0014command=ls-refs\n0000"),
        headers={
            "Authorization": "Basic " + base64.b64encode(f"ada:{TOKEN}".encode()).decode(),
            "Content-Type": "application/x-git-upload-pack-request",
            "Content-Encoding": "gzip",
            "Git-Protocol": "version=2",
        },
    )
    answer = connection.getresponse()

    assert answer.status == 200
    assert b"refs/heads/main" in answer.read()
    connection.close()


@requirement("forge:record")
def test_who_asked_for_what_is_recorded(forge: Forge, git: Git, clone: Path) -> None:
    commit(git, clone, b"work\n")
    before = len(forge.seen())
    git("-C", "clone", "push", "--quiet", "origin", "main")

    refs, pack = "/team/app.git/info/refs", "/team/app.git/git-receive-pack"
    assert forge.seen()[before:] == [
        Seen("GET", refs, "git-receive-pack", None, False, 401),
        Seen("GET", refs, "git-receive-pack", "ada", True, 200),
        Seen("POST", pack, "git-receive-pack", "ada", True, 200),
    ]


@requirement("forge:token")
def test_only_the_current_token_is_taken(forge: Forge, git: Git) -> None:
    url = forge.url("team/app")
    assert git("ls-remote", url, token="wrong").returncode == 128

    forge.token = "tok-rotated"

    assert git("ls-remote", url).returncode == 128
    assert git("ls-remote", url, token="tok-rotated").returncode == 0
    assert [seen.status for seen in forge.seen()] == [401, 401, 401, 401, 401, 200, 200]


@requirement("forge:token")
@pytest.mark.parametrize("value", ["Bearer x", "Basic", "Basic !", "Basic YWRh", ""])
def test_no_other_authorization_is_taken(forge: Forge, value: str) -> None:
    connection = connect(forge)
    connection.request("GET", "/team/app.git/info/refs", headers={"Authorization": value})
    answer = connection.getresponse()
    answer.read()
    connection.close()

    assert (answer.status, answer.getheader("WWW-Authenticate")) == (401, 'Basic realm="forge"')


@requirement("forge:token")
def test_a_repository_may_be_closed_to_the_token(forge: Forge, git: Git) -> None:
    forge.create("team/other", {"README": "private\n"})
    forge.forbidden.add("team/other")

    refused = git("ls-remote", forge.url("team/other"))

    assert refused.returncode == 128
    assert "403" in refused.stderr
    assert git("ls-remote", forge.url("team/nothing")).returncode == 128
    assert git("ls-remote", forge.url("team/app")).returncode == 0


@requirement("forge:hold")
def test_a_push_can_be_held_open(forge: Forge, git: Git, clone: Path) -> None:
    before = _main(forge, git)
    commit(git, clone, b"work\n")
    forge.hold_pushes()
    assert not forge.wait_for_push(0)

    push = threading.Thread(target=git, args=("-C", "clone", "push", "--quiet", "origin", "main"))
    push.start()
    assert forge.wait_for_push(20)
    assert _main(forge, git) == before
    assert git("ls-remote", forge.url("team/app")).returncode == 0

    forge.release_pushes()
    push.join(20)
    assert _main(forge, git) == git("-C", "clone", "rev-parse", "HEAD").stdout.strip()


@requirement("forge:bad-requests")
@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Content-Length": "ten"}, b"", 400),
        ({"Content-Length": "-1"}, b"", 400),
        ({"Transfer-Encoding": "chunked"}, b"x\r\n", 400),
        ({"Content-Length": "1000"}, b"x" * 1000, 401),
        ({"Content-Length": "1001"}, b"", 413),
        ({"Transfer-Encoding": "chunked"}, b"3e8\r\n" + b"x" * 1000 + b"\r\n0\r\n\r\n", 401),
        ({"Transfer-Encoding": "chunked"}, b"3e9\r\n", 413),
    ],
)
def test_a_body_is_bounded_and_its_length_is_a_number(
    forge: Forge,
    monkeypatch: pytest.MonkeyPatch,
    headers: dict[str, str],
    body: bytes,
    status: int,
) -> None:
    monkeypatch.setattr(server, "MAX_BODY_BYTES", 1000)
    connection = connect(forge)
    connection.putrequest("POST", "/team/app.git/git-upload-pack")
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    answer.read()
    connection.close()

    assert answer.status == status


@requirement("forge:ends")
def test_leaving_ends_its_threads_and_connections_at_once(tmp_path: Path) -> None:
    before = threading.enumerate()
    forge = Forge(tmp_path, TOKEN)
    with forge:
        idle = connect(forge)
        idle.request("GET", "/")
        idle.getresponse().read()
        silent = connect(forge)
        silent.connect()
        assert len(threading.enumerate()) > len(before)

    assert threading.enumerate() == before
    with pytest.raises(ConnectionRefusedError):
        connect(forge).connect()
    idle.close()
    silent.close()


@requirement("forge:ends")
def test_a_client_that_does_not_trust_it_disturbs_nobody(
    forge: Forge, git: Git, capfd: pytest.CaptureFixture[str]
) -> None:
    host, port = forge.host.split(":")
    stranger = HTTPSConnection(host, int(port), context=ssl.create_default_context(), timeout=20)
    with pytest.raises(ssl.SSLCertVerificationError):
        stranger.connect()

    assert git("ls-remote", forge.url("team/app")).returncode == 0
    assert capfd.readouterr().err == ""
