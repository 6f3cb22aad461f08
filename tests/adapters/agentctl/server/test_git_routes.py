"""The git of an instance over its route: which checkout, which operation, and what is refused."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from adapters.agentctl import wire
from tests.adapters.agentctl.server.conftest import git
from tests.adapters.agentctl.server.test_routes import OURS, Door, door, outside
from tests.requirements import requirement

__all__ = ("door", "outside")

pytestmark = pytest.mark.anyio


def _checkout(source: Path, folder: str = "") -> wire.Checkout:
    return wire.Checkout(f"r{folder}", str(source), folder, "feature/a", "main")


async def _ask(door: Door, operation: str, body: Any = None, **where: str) -> httpx2.Response:
    path = f"{door.instance}/git/{operation}"
    return await door.client.post(path, params=where, json=body, headers=OURS)


async def test_a_status_is_of_the_one_checkout(door: Door, source: Path) -> None:
    await door.create(checkouts=[_checkout(source)])

    answer = (await _ask(door, "status")).json()

    assert answer["failure"] is None
    assert answer["value"]["branch"] == "feature/a"


@requirement("session-git:failures")
async def test_what_git_refuses_is_an_answer_and_no_refusal(door: Door, source: Path) -> None:
    await door.create(checkouts=[_checkout(source)])

    answer = await _ask(door, "push", {"remote": "nowhere"})

    assert answer.status_code == 200
    assert answer.json()["failure"]["code"] == "git_not_found"


@requirement("session-git:repository")
async def test_one_of_several_is_named_by_its_folder(
    door: Door, source: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    git(source, "clone", "-q", str(source), str(other))
    await door.create(checkouts=[_checkout(source, "one"), _checkout(other, "two")])
    (door.house.workspace / "two" / "new").write_text("")

    first = await _ask(door, "status", folder="one")
    second = await _ask(door, "status", folder="two")
    unnamed = await _ask(door, "status")
    unknown = await _ask(door, "status", folder="three")

    assert first.json()["value"]["changed"] == []
    assert [each["path"] for each in second.json()["value"]["changed"]] == ["new"]
    for refused in (unnamed, unknown):
        assert (refused.status_code, refused.json()["code"]) == (404, "no_such_repository")
        assert "one, two" in refused.json()["detail"]


@requirement("session-git:arguments")
@pytest.mark.parametrize(
    ("operation", "body"),
    [
        ("gc", None),
        ("stage", {"paths": ["../outside"]}),
        ("stage", {"paths": "file"}),
        ("diff", {"base": "--output=x"}),
        ("log", {"limit": 0}),
        ("push", {"remote": "--exec=x"}),
        ("commit", {}),
    ],
)
async def test_what_cannot_be_meant_is_refused_here_too(
    door: Door, source: Path, operation: str, body: Any
) -> None:
    await door.create(checkouts=[_checkout(source)])

    answer = await _ask(door, operation, body)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


@requirement("session-git:failures")
async def test_a_checkout_that_went_astray_is_not_worked_in(door: Door, source: Path) -> None:
    await door.create(checkouts=[_checkout(source)])
    (door.house.workspace / ".git").write_text(f"gitdir: {source / '.git'}\n")

    answer = await _ask(door, "commit", {"message": "Astray.", "everything": True})

    assert (answer.status_code, answer.json()["code"]) == (409, "worktree_left")


async def test_an_agent_that_has_ended_has_no_git(door: Door, source: Path) -> None:
    await door.create(checkouts=[_checkout(source)])
    await door.client.delete(door.instance, headers=OURS)

    answer = await _ask(door, "status")

    assert (answer.status_code, answer.json()["code"]) == (404, "no_instance")
