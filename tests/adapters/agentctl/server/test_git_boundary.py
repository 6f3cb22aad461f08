"""agentctl's own process with an instance: one list, for the agent and for the git that serves it."""

import os
from pathlib import Path

import pytest

from adapters.agentctl import wire
from domain import git_config
from domain.git_config import MAX_ENTRIES, Entry
from ports.runtime import RuntimeCode
from tests.adapters.agentctl.server.conftest import House, Open, texts, turn
from tests.git_oracle import isolated, run
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

NOTES = Entry("notes.augment.mergestrategy", "cat_sort_uniq")
ONE, TWO = Entry("x.one", "1"), Entry("x.two", "")
NAMES = ("agent defaults", "agent profile", "executor profile", "repository", "request")


def layer(name: str, *entries: Entry) -> wire.Layer:
    return wire.Layer(name, git_config.serialize(entries))


def hooks(directory: Path, told: Path) -> Entry:
    """A hook of the host's that writes down what git sees when a worktree is checked out."""
    directory.mkdir()
    hook = directory / "post-checkout"
    hook.write_text(f"#!/bin/sh\ngit config --list --null --show-scope > '{told}'\n")
    hook.chmod(0o755)
    return Entry("core.hookspath", str(directory))


def listed(text: str) -> list[Entry]:
    """The entries of the environment in a listing of git's."""
    words = text.split("\0")
    pairs = zip(words[::2], words[1::2], strict=False)
    return [Entry(*each.split("\n", 1)) for scope, each in pairs if scope == "command"]


async def seen(house: House, layers: list[wire.Layer]) -> list[Entry]:
    instance = await house.launch(layers=layers)
    said = texts(await turn(instance, 1, "git:config,--list,--null,--show-scope"))
    await instance.stop()
    house.instances.release(instance)
    return listed(said[0])


@requirement("git-config:boundary:order")
@pytest.mark.parametrize(
    "layers",
    [
        [("agent profile", [ONE]), ("request", [TWO])],
        [("executor profile", [ONE]), ("repository", [TWO])],
        [("request", [ONE, TWO])],
        [("agent profile", [ONE, TWO]), ("executor profile", [ONE, TWO]), ("request", [TWO])],
    ],
)
async def test_the_layers_of_an_instance_follow_the_list_of_agentctls_own_process(
    open_house: Open, layers: list[tuple[str, list[Entry]]]
) -> None:
    parent = (Entry("core.hookspath", "/no/hooks"), NOTES)
    forwarded = layer("agent defaults", *parent)
    own = [layer(name, *entries) for name, entries in layers]

    async with open_house(git_config.serialize(parent)) as house:
        once = await seen(house, own)
        twice = await seen(house, [forwarded, *own])

    assert once == [*parent, ONE, TWO]
    assert twice == once


@requirement("git-config:boundary:order")
async def test_the_git_that_makes_the_worktree_sees_what_the_agent_sees(
    open_house: Open, tmp_path: Path
) -> None:
    told, source = tmp_path / "told", tmp_path / "source"
    identity = isolated(tmp_path)
    run(["git", "init", "--quiet", "--initial-branch=main", str(source)], tmp_path, identity)
    run(["git", "commit", "--quiet", "--allow-empty", "--message=Begin"], source, identity)
    parent = (hooks(tmp_path / "hooks", told), NOTES)
    checkout = wire.Checkout("r1", str(source), "", "feature/a", "main")

    async with open_house(git_config.serialize(parent)) as house:
        instance = await house.launch(layers=[layer("request", ONE)], checkouts=[checkout])
        said = texts(await turn(instance, 1, "git:config,--list,--null,--show-scope"))

    assert listed(os.fsdecode(told.read_bytes())) == listed(said[0]) == [*parent, ONE]


@requirement("git-config:boundary:refused")
@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"GIT_CONFIG_COUNT": "planted"}, "host: GIT_CONFIG_COUNT"),
        (
            {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "planted.key"},
            "host: GIT_CONFIG_VALUE_0 (entry 0)",
        ),
    ],
)
async def test_a_malformed_list_of_agentctls_own_process_starts_no_agent(
    open_house: Open, block: dict[str, str], words: str
) -> None:
    async with open_house(block) as house:
        problem = (await house.create()).failure()

        assert problem.code is RuntimeCode.ENVIRONMENT
        assert problem.detail.startswith(words)
        assert "planted" not in problem.detail
        assert not house.workspace.exists()
        assert not house.instances.all()


@requirement("git-config:boundary:bound")
@pytest.mark.parametrize("name", NAMES)
async def test_the_layer_that_crosses_the_bound_is_named(open_house: Open, name: str) -> None:
    parent = [Entry("x.parent", str(number)) for number in range(MAX_ENTRIES - 2)]

    async with open_house(git_config.serialize(parent)) as house:
        full = await seen(house, [layer(name, ONE, TWO)])
        problem = (await house.create(layers=[layer(name, ONE, TWO, TWO)])).failure()

    assert full == [*parent, ONE, TWO]
    assert problem.detail.startswith(f"{name}: GIT_CONFIG_COUNT stands for more than 1024 entries")
