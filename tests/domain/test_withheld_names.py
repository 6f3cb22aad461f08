"""What redirects git, and what is ours, never reaches an agent, and is named."""

import subprocess

from domain import withheld_names
from domain.environment import Layer
from tests.requirements import requirement

GITS_OWN_CONFIGURATION = {"GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"}


@requirement("environment:withheld:redirects")
def test_every_name_that_git_calls_local_to_a_repository_redirects_it() -> None:
    listed = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True
    )

    assert set(listed.stdout.split()) - GITS_OWN_CONFIGURATION <= withheld_names.GIT_REDIRECTS


@requirement("environment:withheld:redirects")
def test_any_layer_loses_what_redirects_git_and_says_so() -> None:
    layer = Layer(
        "agent profile",
        {"GIT_WORK_TREE": "/v", "GIT_DIR": "/v/.git", "KANDEV_TASK_ID": "t", "GIT_EDITOR": "vi"},
        secrets=frozenset({"GIT_DIR", "KANDEV_TASK_ID"}),
    )

    withheld = withheld_names.from_layer(layer)

    assert withheld.names == ("GIT_DIR", "GIT_WORK_TREE")
    assert withheld.layer == Layer(
        "agent profile",
        {"KANDEV_TASK_ID": "t", "GIT_EDITOR": "vi"},
        secrets=frozenset({"KANDEV_TASK_ID"}),
    )


@requirement("environment:withheld:private")
def test_the_host_loses_our_names_as_well() -> None:
    layer = Layer(
        "host",
        {
            "KANDEV_API_TOKEN": "t",
            "AGENTCTL_PORT": "1",
            "GIT_DIR": "/v",
            "KANDEVX": "kept",
            "A": "b",
        },
    )

    withheld = withheld_names.from_host(layer)

    assert withheld.names == ("AGENTCTL_PORT", "GIT_DIR", "KANDEV_API_TOKEN")
    assert withheld.layer == Layer("host", {"KANDEVX": "kept", "A": "b"})


def test_a_layer_with_nothing_to_take_stays_as_it_is() -> None:
    layer = Layer("host", {"PATH": "/bin", "GIT_CONFIG_COUNT": "0"}, removes=frozenset({"X"}))

    assert withheld_names.from_host(layer) == withheld_names.Withheld(layer, ())
