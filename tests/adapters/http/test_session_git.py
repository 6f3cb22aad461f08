"""The git of a session over REST: what each route asks for, and how a refusal is told."""

import pytest

from domain.git_change import Change, Commit, Discard, Fetch, Push, Stage, Unstage
from domain.git_diff import DiffRequest
from domain.git_failure import GitCode, GitFailure
from domain.git_history import LogRequest
from tests.adapters.http.conftest import Web
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("status", None),
        ("diff", DiffRequest()),
        (
            "diff?staged=true&base=main&path=a&path=b",
            DiffRequest(staged=True, base="main", paths=("a", "b")),
        ),
        ("log", LogRequest()),
        ("log?limit=3&base=main", LogRequest(3, "main")),
    ],
)
async def test_a_look_asks_for_what_its_query_says(web: Web, path: str, asked: object) -> None:
    session = await web.session()

    await web.ok("GET", f"/api/v1/sessions/{session['id']}/git/{path}")

    assert [(folder, request) for _, folder, request in web.plane.instance_git.asked] == [
        (None, asked)
    ]


@pytest.mark.parametrize(
    ("operation", "body", "change"),
    [
        ("stage", {}, Stage()),
        ("unstage", {"paths": ["a"]}, Unstage(("a",))),
        ("discard", {"paths": None}, Discard()),
        ("commit", {"message": "Say.", "include": "tracked"}, Commit("Say.", everything=True)),
        ("fetch", {}, Fetch()),
        ("push", {"remote": "fork", "force": "with_lease"}, Push("fork", with_lease=True)),
    ],
)
async def test_a_change_is_what_its_body_says(
    web: Web, operation: str, body: object, change: Change
) -> None:
    session = await web.session()
    path = f"/api/v1/sessions/{session['id']}/git/{operation}?repository=app"

    answer = await web.ok("POST", path, body)

    assert answer == {"commit": "c1", "kept": None, "output": "said"}
    assert [(folder, asked) for _, folder, asked in web.plane.instance_git.asked] == [
        ("app", change)
    ]


@requirement("session-git:failures")
async def test_what_is_refused_has_a_code(web: Web) -> None:
    session = await web.session()
    path = f"/api/v1/sessions/{session['id']}/git"

    assert await web.refused("POST", f"{path}/stage", {"paths": ["../x"]}) == (400, "invalid_path")
    assert await web.refused("POST", f"{path}/commit", {"message": ""}) == (400, "invalid_message")
    assert await web.refused("GET", f"{path}/log?limit=0") == (400, "invalid_limit")
    assert await web.refused("GET", f"{path}/diff?base=--x") == (400, "invalid_branch")
    assert await web.refused("GET", "/api/v1/sessions/none/git/status") == (
        404,
        "session_not_found",
    )
    web.plane.instance_git.refuses = GitFailure(GitCode.NON_FAST_FORWARD, "rejected")
    assert await web.refused("POST", f"{path}/push", {}) == (422, "git_non_fast_forward")
