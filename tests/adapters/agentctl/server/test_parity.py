"""How a new worktree differs from a fresh checkout, with real git and a real agent."""

from pathlib import Path
from typing import Any

import pytest

from adapters.agentctl import wire
from tests.adapters.agentctl.server.conftest import House, git, turn, watch
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"


def _checkout(source: Path, *copies: wire.Copy) -> wire.Checkout:
    return wire.Checkout("r1", str(source), "", "feature/a", "main", list(copies))


async def _told(house: House, checkout: wire.Checkout) -> list[dict[str, Any]]:
    """The differences that the session's first status tells; it tells of its agent otherwise."""
    seen = await watch(await house.launch(checkouts=[checkout]), "session_status")
    body = seen[-1].body
    if body["status"] != "parity":
        return []
    assert body["repository"] == "r1"
    differences: list[dict[str, Any]] = body["differences"]
    return differences


def _hook(folder: Path) -> Path:
    """A hook that leaves a mark in the checkout."""
    folder.mkdir(parents=True)
    hook = folder / "pre-commit"
    hook.write_text("#!/bin/sh\ntouch hook-ran\n")
    hook.chmod(0o755)
    return hook


def _commit(source: Path) -> None:
    git(source, "add", ".")
    git(source, "commit", "-q", "-m", "more")


@requirement("parity:told")
async def test_a_worktree_that_is_like_a_fresh_checkout_is_told_nothing_of(
    house: House, source: Path
) -> None:
    assert await _told(house, _checkout(source)) == []


@requirement("parity:hooks")
async def test_hooks_in_a_folder_that_git_ignores_are_armed_again(
    house: House, source: Path
) -> None:
    _hook(source / ".husky" / "_")
    (source / ".husky" / "_" / ".gitignore").write_text("*\n")
    git(source, "config", "core.hooksPath", ".husky/_")

    told = await _told(house, _checkout(source))
    git(house.workspace, "commit", "-q", "--allow-empty", "-m", "work")

    [hooks] = told
    assert hooks == {
        "kind": "hooks_not_armed",
        "names": [".husky/_"],
        "count": 1,
        "repaired": True,
    }
    assert (house.workspace / "hook-ran").exists()


@requirement("parity:hooks")
async def test_hooks_in_a_folder_that_git_sees_are_told_and_not_copied(
    house: House, source: Path
) -> None:
    _hook(source / "hooks")
    git(source, "config", "core.hooksPath", "hooks")

    [hooks] = await _told(house, _checkout(source))

    assert (hooks["kind"], hooks["repaired"]) == ("hooks_not_armed", False)
    assert git(house.workspace, "status", "--porcelain") == ""


@requirement("parity:hooks")
@pytest.mark.parametrize("configured", ["/dev/null", "../outside", "missing"])
async def test_hooks_that_are_switched_off_or_lead_elsewhere_are_told(
    house: House, source: Path, configured: str
) -> None:
    git(source, "config", "core.hooksPath", configured)

    [hooks] = await _told(house, _checkout(source))

    assert (hooks["names"], hooks["repaired"]) == ([configured], False)


@requirement("parity:told")
async def test_submodules_that_are_not_fetched_are_named(house: House, source: Path) -> None:
    (source / ".gitmodules").write_text('[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n')
    tip = git(source, "rev-parse", "HEAD").strip()
    git(source, "update-index", "--add", "--cacheinfo", f"160000,{tip},lib")
    git(source, "add", ".gitmodules")
    git(source, "commit", "-q", "-m", "more")

    [submodules] = await _told(house, _checkout(source))

    assert (submodules["kind"], submodules["names"]) == ("submodules_not_fetched", ["lib"])


@requirement("parity:told")
async def test_pointers_of_git_lfs_are_named(house: House, source: Path) -> None:
    (source / ".gitattributes").write_text("*.bin filter=lfs -text\n")
    (source / "pointer.bin").write_text(POINTER)
    (source / "content.bin").write_text("content")
    _commit(source)

    [pointers] = await _told(house, _checkout(source))

    assert (pointers["kind"], pointers["names"]) == ("lfs_not_fetched", ["pointer.bin"])


@requirement("parity:told")
async def test_what_a_sparse_checkout_leaves_out_is_named(house: House, source: Path) -> None:
    for folder in ("kept", "left"):
        (source / folder).mkdir()
        (source / folder / "file").write_text("text\n")
    _commit(source)
    git(source, "sparse-checkout", "set", "kept")

    [sparse] = await _told(house, _checkout(source))

    assert (sparse["kind"], sparse["names"]) == ("sparse", ["left/file"])
    assert (house.workspace / "kept" / "file").exists()
    assert not (house.workspace / "left").exists()


@requirement("parity:told")
async def test_links_to_files_that_are_shared_are_named(house: House, source: Path) -> None:
    (source / ".gitignore").write_text("modules\n")
    _commit(source)
    (source / "modules").mkdir()

    [links] = await _told(house, _checkout(source, wire.Copy("modules", symlink=True)))

    assert (links["kind"], links["names"]) == ("linked", ["modules"])


@requirement("parity:told")
async def test_a_worktree_that_was_there_is_not_compared_again(house: House, source: Path) -> None:
    git(source, "config", "core.hooksPath", "missing")
    git(source, "worktree", "add", "-q", "-b", "feature/a", str(house.workspace))

    instance = await house.launch(checkouts=[_checkout(source)])

    seen = await turn(instance, 1, "cwd")
    assert [each.kind for each in seen if each.body.get("status") == "parity"] == []
