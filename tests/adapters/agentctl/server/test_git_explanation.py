"""What an instance says of its git: looked at when it is asked, and without a secret."""

import shutil
import subprocess
from pathlib import Path

import pytest

from adapters.agentctl import wire
from domain import git_config
from domain.git_config import Entry
from domain.git_configuration import ShownEntry, ShownVariable, Unseen
from domain.git_configuration_effects import Action
from domain.git_failure import GitCode
from domain.open_channels import Channel, OpenChannel
from domain.redaction import MASK
from domain.secret import Secret
from tests.adapters.agentctl.server.conftest import House, Open
from tests.git_oracle import isolated
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

HOST = wire.Host("forge.example")
MANAGED = wire.Managed([HOST], [wire.Lease("r1", "forge.example", "/p", "kdl_x", "kdc_y")])
HEADER = Entry("http.https://other.example.extraHeader", "Authorization: hidden-value")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    git(tmp_path, "init", "--quiet", "--initial-branch=main", str(path))
    git(
        path,
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@b",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "1",
    )
    return path


def git(directory: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", *arguments],
        cwd=directory,
        env=isolated(directory),
        check=True,
        capture_output=True,
        timeout=30,
    )


def checkout(source: Path, folder: str = "") -> wire.Checkout:
    return wire.Checkout("r1", str(source), folder, f"feature/{folder or 'a'}", "main")


@requirement("explain:git:entries")
async def test_entries_and_variables_are_explained_without_a_value(house: House) -> None:
    profile = {"API_KEY": "hidden-value", **git_config.serialize([HEADER])}
    layers = [wire.Layer("agent profile", profile, ["API_KEY"])]
    instance = await house.launch(layers=layers, managed=MANAGED)

    told = (await instance.git_configuration()).unwrap()

    assert told.entries[0] == ShownEntry(0, HEADER.key, MASK, "agent profile", Action.ADDS, ())
    assert [entry.layer for entry in told.entries[1:]] == ["managed"] * 4
    assert ShownVariable("API_KEY", "agent profile", True) in told.variables
    assert (told.channels, told.unseen) == ((), ())
    assert "hidden-value" not in repr(told)


@requirement("explain:git:channels")
async def test_what_the_agent_did_to_its_repository_is_found_by_looking(
    house: House, source: Path
) -> None:
    house.redactor.register(Secret("hidden-value"))
    instance = await house.launch(checkouts=[checkout(source)], managed=MANAGED)
    before = (await instance.git_configuration()).unwrap()

    work, forge = house.workspace, "https://forge.example"
    git(work, "config", f"http.{forge}.extraHeader", "Authorization: hidden-value")
    git(work, "config", "url.ssh://git@forge.example/.insteadOf", f"{forge}/")
    git(work, "remote", "add", "origin", f"{forge}/p")
    git(work, "remote", "add", "hidden-value", "https://u:hidden-value@other.example/p")
    Path(house.home, ".netrc").write_text("machine forge.example password hidden-value")
    told = (await instance.git_configuration()).unwrap()

    assert before.channels == ()
    assert told.channels == (
        OpenChannel(Channel.NETRC, names=("forge.example",)),
        OpenChannel(Channel.EXTRA_HEADER, names=("local http.extraheader",)),
        OpenChannel(Channel.REWRITE_TO_SSH, names=("local url.insteadof",)),
        OpenChannel(Channel.SSH_REMOTE, names=("origin",)),
        OpenChannel(Channel.CREDENTIAL_IN_REMOTE, names=(MASK,)),
    )
    assert "hidden-value" not in repr(told)


@requirement("explain:git:unseen")
async def test_a_checkout_that_cannot_be_looked_at_is_told_beside_the_others(
    house: House, source: Path
) -> None:
    checkouts = [checkout(source, "app"), checkout(source, "lib")]
    instance = await house.launch(checkouts=checkouts)
    git(house.workspace / "app", "remote", "add", "origin", "git@forge.example:p")
    shutil.rmtree(house.workspace / "lib")

    told = (await instance.git_configuration()).unwrap()

    assert told.channels == (OpenChannel(Channel.SSH_REMOTE, names=("app/origin",)),)
    assert told.unseen == (Unseen("lib", GitCode.NOT_A_REPOSITORY),)


@requirement("explain:git:entries")
async def test_bytes_that_are_not_utf_8_reach_the_agent_and_can_be_shown(open_house: Open) -> None:
    odd = git_config.serialize([Entry("notes.\udce4.x", "\udcff")])

    async with open_house(odd) as house:
        instance = await house.launch()
        told = (await instance.git_configuration()).unwrap()

    assert [(entry.key, entry.value) for entry in told.entries] == [("notes.\\xe4.x", "\\xff")]
