"""Managed entries: git asks our helper or stops, and what we added can be taken away again."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import git_config, managed_git
from domain.git_config import Entry
from domain.managed_git import ManagedHost
from tests.git_oracle import isolated, run
from tests.requirements import requirement

HOST = ManagedHost("github.com")
PRIVATE = ManagedHost("forge.example:8443", "/etc/ca bundle.pem")
PATH = "/opt/kandev/git-credential-kandev"
QUESTION = "protocol=https\nhost={}\npath=acme/widgets.git\n\n"


def key(host: str = "github.com") -> str:
    return f"credential.https://{host}.helper"


def test_the_entries_of_a_host_reset_ask_and_stop_in_this_order() -> None:
    assert managed_git.entries([HOST, PRIVATE, HOST], PATH) == (
        Entry("credential.https://github.com.useHttpPath", "true"),
        Entry(key(), ""),
        Entry(key(), f"!'{PATH}'"),
        Entry(key(), "!echo quit=1; :"),
        Entry("credential.https://forge.example:8443.useHttpPath", "true"),
        Entry("http.https://forge.example:8443.sslCAInfo", "/etc/ca bundle.pem"),
        Entry(key("forge.example:8443"), ""),
        Entry(key("forge.example:8443"), f"!'{PATH}'"),
        Entry(key("forge.example:8443"), "!echo quit=1; :"),
    )


@requirement("git-config:managed:certificates")
def test_a_bundle_of_the_host_stands_below_the_authority_of_a_private_forge() -> None:
    entries = managed_git.entries([HOST, PRIVATE], PATH, "/etc/bundle.pem")
    private = managed_git.entries([PRIVATE], PATH)

    assert entries == (
        *managed_git.entries([HOST], PATH),
        private[0],
        Entry("http.sslCAInfo", "/etc/bundle.pem"),
        *private[1:],
    )
    assert managed_git.certificates(entries) == "/etc/bundle.pem"
    assert managed_git.certificates((Entry("http.sslCAInfo", "/mine.pem"), *private)) is None


@requirement("git-config:managed:certificates")
@pytest.mark.parametrize("bundle", ["/a", "", "~", "~/a", "%(prefix)/a", "a b", "./a"])
def test_git_reads_the_bundle_as_it_read_the_variable(tmp_path: Path, bundle: str) -> None:
    entries = managed_git.entries([PRIVATE], PATH, bundle)
    block = git_config.serialize(entries)

    question = ["git", "config", "--type=path", "--get", "http.sslCAInfo"]
    read = os.fsdecode(run(question, tmp_path, isolated(tmp_path) | block).stdout)

    assert read.removesuffix("\n").removeprefix("./") == bundle.removeprefix("./")
    assert managed_git.certificates(entries) in {bundle, bundle.removeprefix("./")}


@requirement("git-config:managed:certificates")
def test_the_variable_is_taken_only_where_a_forge_has_an_authority_of_its_own() -> None:
    assert managed_git.taken([HOST]) == {"GIT_CONFIG_PARAMETERS"}
    assert managed_git.taken([HOST, PRIVATE]) == {"GIT_CONFIG_PARAMETERS", "GIT_SSL_CAINFO"}


def test_the_entries_are_accepted_by_the_rules_of_every_block() -> None:
    entries = managed_git.entries([HOST, PRIVATE], "/it's\n a path/git-credential-kandev")

    assert git_config.parse(git_config.serialize(entries)).unwrap() == entries
    assert managed_git.hosts(entries) == ("github.com", "forge.example:8443")


@pytest.mark.parametrize(
    "path", ["git-credential-kandev", "/opt/other", "/opt/xgit-credential-kandev"]
)
def test_a_helper_that_could_not_be_recognised_again_is_a_bug(path: str) -> None:
    with pytest.raises(ValueError, match="absolute path"):
        managed_git.entries([HOST], path)


def ambient(folder: Path, answer: str) -> Entry:
    helper = folder / "ambient"
    helper.write_text(f"#!/bin/sh\necho asked >> {folder}/ambient.log\n{answer}\n")
    helper.chmod(0o755)
    return Entry("credential.helper", str(helper))


def ask(folder: Path, entries: tuple[Entry, ...], host: str = "github.com") -> tuple[int, str]:
    environment = isolated(folder) | managed_git.variables() | git_config.serialize(entries)
    done = run(["git", "credential", "fill"], folder, environment, QUESTION.format(host))
    return done.exit, os.fsdecode(done.stdout)


@requirement("git-config:managed:asked")
@pytest.mark.parametrize(
    "name", ["plain", "with blank", "it's", 'a"b', "$HOME `id` \\ ;#", "ümlaut"]
)
def test_git_asks_the_helper_whatever_its_path_holds(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    helper = folder / managed_git.HELPER_NAME
    helper.write_text("#!/bin/sh\nsed -n s/^path=/username=/p\necho password=leased\n")
    helper.chmod(0o755)
    lower = (ambient(tmp_path, "echo username=ambient; echo password=ambient"),)

    code, answer = ask(
        tmp_path, git_config.compose(lower, managed_git.entries([HOST], str(helper)))
    )

    assert code == 0
    assert "username=acme/widgets.git\npassword=leased\n" in answer
    assert not (tmp_path / "ambient.log").exists()


@requirement("git-config:managed:closed")
@pytest.mark.parametrize("state", ["missing", "silent", "failing", "half an answer"])
def test_git_stops_when_the_helper_does_not_answer(tmp_path: Path, state: str) -> None:
    helper = tmp_path / managed_git.HELPER_NAME
    bodies = {"silent": ":", "failing": "exit 3", "half an answer": "echo username=u"}
    if state in bodies:
        helper.write_text(f"#!/bin/sh\n{bodies[state]}\n")
        helper.chmod(0o755)
    askpass = Entry("core.askPass", str(tmp_path / "ambient"))
    lower = (ambient(tmp_path, "echo username=ambient; echo password=ambient"), askpass)

    code, answer = ask(
        tmp_path, git_config.compose(lower, managed_git.entries([HOST], str(helper)))
    )

    assert (code, answer) == (128, "")
    assert not (tmp_path / "ambient.log").exists()


@requirement("git-config:managed:others")
def test_another_host_keeps_the_helper_of_the_user(tmp_path: Path) -> None:
    lower = (ambient(tmp_path, "echo username=mine; echo password=mine"),)
    entries = git_config.compose(lower, managed_git.entries([HOST], "/gone/git-credential-kandev"))

    code, answer = ask(tmp_path, entries, "gitlab.com")

    assert code == 0
    assert "username=mine\npassword=mine\n" in answer
    assert (tmp_path / "ambient.log").read_text() == "asked\n"


foreign = st.sampled_from((
    Entry("core.hooksPath", "/hooks"),
    Entry("credential.helper", ""),
    Entry(key(), ""),
    Entry(key(), "store"),
    Entry(key(), "!/opt/other/helper"),
    Entry(key(), "!'/opt/git-credential-kandev' --flag"),
    Entry("http.https://github.com.sslCAInfo", "/mine.pem"),
    Entry("http.sslCAInfo", "/mine.pem"),
    Entry("credential.https://github.com.useHttpPath", "false"),
    Entry("credential.useHttpPath", "true"),
))
lists = st.lists(foreign, max_size=6).map(tuple)
groups = st.lists(
    st.builds(
        ManagedHost,
        st.sampled_from(("github.com", "forge.example:8443")),
        st.sampled_from((None, "/ca.pem")),
    ),
    max_size=3,
)
bundles = st.sampled_from((None, "/bundle.pem", "~/bundle.pem"))
helpers = st.sampled_from((PATH, "/it's here/git-credential-kandev"))


@requirement("git-config:managed:removed")
@given(lists, groups, helpers, bundles, lists)
def test_taking_the_managed_entries_away_gives_back_exactly_the_others(
    before: tuple[Entry, ...],
    hosts: list[ManagedHost],
    helper: str,
    bundle: str | None,
    after: tuple[Entry, ...],
) -> None:
    managed = managed_git.entries(hosts, helper, bundle)

    assert managed_git.without_managed(before + managed + after) == before + after


@requirement("git-config:managed:removed")
@given(lists, groups, helpers, bundles)
def test_entries_that_were_forwarded_or_added_twice_are_all_taken_away(
    before: tuple[Entry, ...], hosts: list[ManagedHost], helper: str, bundle: str | None
) -> None:
    managed = managed_git.entries(hosts, helper, bundle)
    forwarded = git_config.compose(git_config.compose(before, managed), managed)

    assert managed_git.without_managed(forwarded) == before
    assert managed_git.without_managed(before + managed + managed) == before


@requirement("git-config:managed:removed")
def test_entries_that_a_list_shared_with_ours_go_with_them() -> None:
    managed = managed_git.entries([HOST], PATH)

    composed = git_config.compose((Entry("core.hooksPath", "/hooks"), managed[0]), managed)

    assert managed_git.without_managed(composed) == (Entry("core.hooksPath", "/hooks"),)


@requirement("git-config:managed:removed")
def test_a_helper_of_the_users_in_front_of_ours_is_not_taken_for_the_reset() -> None:
    mine = Entry(key(), "store")
    ours = managed_git.entries([HOST], PATH)[-2:]

    assert managed_git.without_managed((mine, *ours)) == (mine,)
