"""The explanation of an instance's git: each entry with its effect, and what was found around it."""

from domain import environment, git_config
from domain.environment import Layer
from domain.git_config import Entry
from domain.git_configuration import (
    GitConfiguration,
    ShownEntry,
    ShownVariable,
    Unseen,
    configuration,
)
from domain.git_configuration_effects import Action
from domain.git_failure import GitCode
from domain.open_channels import Channel, OpenChannel, Surroundings
from domain.redaction import MASK, Redactor
from domain.secret import Secret
from tests.requirements import requirement

HEADER = Entry("http.extraHeader", "Authorization: hunter2")
RESET = Entry("http.extraHeader", "")
LAYERS = (
    Layer("host", {"LANG": "C"} | git_config.serialize([HEADER])),
    Layer("request", {"TOKEN": "hunter2"} | git_config.serialize([RESET, HEADER])),
)


def explained(*around: Surroundings, unseen: tuple[Unseen, ...] = ()) -> GitConfiguration:
    redactor = Redactor()
    redactor.register(Secret("hunter2-hunter2"))
    explanation = environment.explain(LAYERS).unwrap()
    return configuration(explanation, {"GIT_DIR", "A"}, around, unseen, redactor)


@requirement("git-config:explain:effects")
@requirement("environment:explain")
def test_each_entry_is_shown_with_its_layer_and_what_it_does() -> None:
    shown = explained()

    assert shown.entries == (
        ShownEntry(0, "http.extraHeader", MASK, "host", Action.ADDS, ()),
        ShownEntry(1, "http.extraHeader", "", "request", Action.RESETS, (0,)),
        ShownEntry(2, "http.extraHeader", MASK, "request", Action.ADDS, ()),
    )
    assert shown.variables == (
        ShownVariable("LANG", "host", False),
        ShownVariable("TOKEN", "request", False),
    )
    assert shown.removed == ("A", "GIT_DIR")
    assert shown.channels == (OpenChannel(Channel.EXTRA_HEADER, (2,)),)
    assert "hunter2" not in repr(shown)


@requirement("git-config:explain:channels")
def test_channels_of_several_checkouts_are_one_list_in_which_no_name_is_a_secret() -> None:
    shown = explained(
        Surroundings(("default",), (("app/origin", "git@h:a/b"),)),
        Surroundings(("default",), (("lib/hunter2-hunter2", "git@h:a/c"),)),
        unseen=(Unseen("docs", GitCode.TIMEOUT),),
    )

    assert shown.channels == (
        OpenChannel(Channel.NETRC, (), ("default",)),
        OpenChannel(Channel.EXTRA_HEADER, (2,)),
        OpenChannel(Channel.SSH_REMOTE, (), ("app/origin", f"lib/{MASK}")),
    )
    assert shown.unseen == (Unseen("docs", GitCode.TIMEOUT),)
