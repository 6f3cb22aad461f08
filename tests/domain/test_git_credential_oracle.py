"""Git's credential protocol between the installed git and our side of it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import pytest

from domain import git_config, managed_git
from domain.git_config import Entry
from domain.git_credential import QUIT, Action, Request, answer, match, parse
from domain.managed_git import HELPER_NAME, ManagedHost
from domain.outcome import failed
from domain.repository import RepositoryIdentity, parse_remote
from domain.secret import Secret
from tests.git_oracle import isolated, run
from tests.requirements import requirement

HEAD = b"action=get\ntimeout=900\n"
URL = "url=https://h.example/org/repo\n\n"
SCOPES = (
    RepositoryIdentity("h.example", "/org/repo"),
    RepositoryIdentity("h.example", "/x"),
    RepositoryIdentity("h.example", "/a b/x"),
    RepositoryIdentity("h.example:8443", "/x"),
    RepositoryIdentity("[::1]:8443", "/x"),
)


class Vector(TypedDict):
    """What `git credential fill` is given, and what becomes of the question.

    A repository that it is for, the reason why it is for none, or `not_asked`: git refuses by
    itself, or the host is not managed.
    """

    id: str
    stdin: str
    verdict: str


VECTORS: list[Vector] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "credential_requests.json").read_bytes()
)


def fill(folder: Path, entries: Sequence[Entry], stdin: str) -> str:
    environment = isolated(folder) | managed_git.variables() | git_config.serialize(entries)
    answered = run(["git", "credential", "fill"], folder, environment, stdin)
    return answered.stdout.decode("utf-8", "surrogateescape")


def question(folder: Path, hosts: Sequence[str], stdin: str) -> Request | None:
    """What our helper is sent under the managed entries, as the socket would get it."""
    helper = folder / "tools dir" / HELPER_NAME
    helper.parent.mkdir()
    helper.write_text('#!/bin/sh\ncat >"$0.sent"\necho quit=1\n', encoding="utf-8")
    helper.chmod(0o700)
    fill(folder, managed_git.entries([ManagedHost(host) for host in hosts], str(helper)), stdin)
    sent = helper.with_name(f"{HELPER_NAME}.sent")
    return parse(HEAD + sent.read_bytes()).unwrap() if sent.exists() else None


@requirement("credentials:protocol:match")
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_what_git_asks_is_answered_for_the_repository_it_names_and_no_other(
    tmp_path: Path, vector: Vector
) -> None:
    hosts = dict.fromkeys(scope.host for scope in SCOPES)
    asked = question(tmp_path, list(hosts), vector["stdin"])

    if asked is None:
        verdict = "not_asked"
    else:
        matched = match(asked, SCOPES)
        verdict = (
            matched.failure().mismatch.value
            if failed(matched)
            else matched.unwrap().host + matched.unwrap().path
        )
    assert verdict == vector["verdict"]


@requirement("credentials:protocol:match")
@pytest.mark.parametrize(
    "remote",
    [
        "https://h.example/a%20b/w%C3%AD.git",
        "https://h.example/a/100%25.git",
        "https://h.example/a/w%2520x",
        "https://h.example:443/Team/Repo.git/",
        "https://H.example:8443/~me/w+x.git",
    ],
)
def test_git_asks_for_the_identity_that_its_remote_was_parsed_to(
    tmp_path: Path, remote: str
) -> None:
    identity = parse_remote(remote).unwrap()
    asked = question(tmp_path, [identity.host], f"url={remote}\n\n")

    assert asked is not None
    assert match(asked, [identity]).unwrap() == identity


@requirement("credentials:protocol:answer")
@pytest.mark.parametrize("capabilities", [frozenset[str](), frozenset({"authtype"})])
def test_git_takes_the_credential_and_keeps_its_own_host(
    tmp_path: Path, capabilities: frozenset[str]
) -> None:
    reply = tmp_path / "reply"
    request = Request(Action.GET, capabilities=capabilities)
    reply.write_bytes(answer(request, "u ü", Secret("p=w d"), 4_000_000_000).unwrap())

    filled = fill(tmp_path, [Entry("credential.helper", f"!cat '{reply}'; :")], URL)

    lines = filled.splitlines()
    assert lines[:2] == ["protocol=https", "host=h.example"]
    assert {"username=u ü", "password=p=w d"} <= set(lines)


@requirement("credentials:protocol:quit")
def test_a_refusal_makes_git_stop_before_it_asks_anyone_else(tmp_path: Path) -> None:
    reply, asked = tmp_path / "reply", tmp_path / "asked"
    reply.write_bytes(QUIT)
    entries = [
        Entry("credential.helper", f"!cat '{reply}'; :"),
        Entry("credential.helper", f"!touch '{asked}'; echo username=u; echo password=p; :"),
    ]

    assert fill(tmp_path, entries, URL) == ""
    assert not asked.exists()
