"""How an explanation is printed: every effect and channel has its words, and nothing steers."""

import pytest

from composition.commands.explain import CHANNELS, EFFECTS, lines
from domain.git_configuration_effects import Action
from domain.open_channels import Channel
from tests.requirements import requirement


@requirement("explain:git:command")
def test_every_effect_and_every_channel_has_words() -> None:
    assert EFFECTS.keys() == set(Action)
    assert CHANNELS.keys() == set(Channel)


@requirement("explain:git:unseen")
@pytest.mark.parametrize(("checkout", "named"), [("", "the checkout"), ("lib", "lib")])
def test_what_could_not_be_looked_at_is_not_taken_for_closed(checkout: str, named: str) -> None:
    unseen = [{"checkout": checkout, "code": "git_timeout"}]

    told = list(lines({"entries": [], "removed": [], "channels": [], "unseen": unseen}))

    assert told == ["  KEY  VALUE  LAYER  EFFECT", "", f"not looked at (git_timeout): {named}"]


@requirement("explain:git:command")
def test_a_channel_is_told_with_all_its_places_on_one_line() -> None:
    channel = {"channel": "extra_header", "positions": [0, 3], "names": ["local\x1b[2J a\nb"]}

    told = list(lines({"entries": [], "removed": [], "channels": [channel], "unseen": []}))

    words = "open: a header is sent whatever the helper says (entry 0, entry 3, local a\\nb)"
    assert told[-1] == words


@requirement("explain:git:command")
def test_a_word_of_a_later_server_is_shown_as_it_is() -> None:
    entry = {"position": 0, "key": "a.b", "value": "", "layer": "host", "positions": [7]}
    channel = {"channel": "telepathy", "positions": [0], "names": []}
    told = {"entries": [{**entry, "action": "bends"}], "removed": [], "unseen": []}

    table = list(lines({**told, "channels": [channel]}))

    assert table[1].split() == ["0", "a.b", "host", "bends", "7"]
    assert table[-1] == "open: telepathy (entry 0)"
