"""The sentence of a refused environment says where, and never what."""

import pytest

from domain import git_config
from domain.environment import ConflictingVariable, Layer, compose
from domain.environment_sentence import sentence
from domain.git_config import MAX_ENTRIES, MalformedGitConfig, Reason
from domain.outcome import failed
from tests.requirements import requirement

PLANTED = "planted-0123456789"


@requirement("git-config:parse:problem")
@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_words_that_follow_the_variable(reason: Reason) -> None:
    told = sentence(MalformedGitConfig("host", "GIT_CONFIG_VALUE_1", 1, reason))

    assert told.startswith("host: GIT_CONFIG_VALUE_1 (entry 1) ")
    assert len(told) > len("host: GIT_CONFIG_VALUE_1 (entry 1) ")


@requirement("git-config:parse:problem")
def test_a_list_over_its_bound_is_told_with_the_bound_and_its_reason() -> None:
    told = sentence(MalformedGitConfig("request", git_config.COUNT, None, Reason.TOO_MANY_ENTRIES))

    assert str(MAX_ENTRIES) in told
    assert "square" in told


@requirement("git-config:parse:problem")
@pytest.mark.parametrize(
    "block",
    [
        {"GIT_CONFIG_COUNT": PLANTED},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": PLANTED, "GIT_CONFIG_VALUE_0": PLANTED},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_VALUE_0": PLANTED},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"include.{PLANTED}"},
    ],
)
def test_neither_a_key_nor_a_value_is_told(block: dict[str, str]) -> None:
    refused = compose([Layer("host", block)])

    assert failed(refused)
    assert PLANTED not in sentence(refused.failure())


@requirement("environment:conflict:secret")
def test_a_conflict_names_the_variable_and_both_layers() -> None:
    told = sentence(ConflictingVariable("TOKEN", "agent profile", "request"))

    assert told.startswith("agent profile and request differ about TOKEN")
