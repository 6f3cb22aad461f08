import pytest

from domain.git_command import CLOSED_NAMES, closed, environment
from domain.withheld_names import GIT_REDIRECTS
from tests.requirements import requirement


@requirement("git:command:redirects")
@pytest.mark.parametrize("isolated", [False, True])
def test_no_name_that_redirects_git_is_left(isolated: bool) -> None:
    base = dict.fromkeys(GIT_REDIRECTS, "elsewhere") | {"KEPT": "yes"}

    made = environment(base, isolated=isolated)

    assert not GIT_REDIRECTS & made.keys()
    assert made["KEPT"] == "yes"


@requirement("git:command:redirects")
def test_an_index_of_ours_is_the_only_one_that_is_named() -> None:
    base = {"GIT_INDEX_FILE": "/of/the/agent"}

    assert environment(base, isolated=False, index="/ours")["GIT_INDEX_FILE"] == "/ours"


@requirement("git:command:environment")
def test_the_indexed_configuration_of_the_instance_stays() -> None:
    block = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c"}

    assert block.items() <= environment(block, isolated=False).items()


@requirement("git:command:isolated")
def test_a_closed_command_keeps_nothing_but_programs_network_and_trust() -> None:
    parent = dict.fromkeys(CLOSED_NAMES, "kept") | {
        "GH_TOKEN": "secret",
        "GIT_ASKPASS": "/bin/ask",
        "GIT_CONFIG_COUNT": "1",
        "GIT_SSL_NO_VERIFY": "1",
        "HOME": "/home/ada",
        "KANDEV_API_TOKEN": "secret",
        "SSH_AUTH_SOCK": "/run/agent",
    }

    assert closed(parent) == dict.fromkeys(CLOSED_NAMES, "kept")
