from pathlib import Path

import pytest

from adapters.agents.named import FILE, MAX_BYTES, MalformedAgents, read_named
from domain.agent import Agent
from domain.outcome import failed
from tests.requirements import requirement


@requirement("agents:named")
def test_agents_that_the_user_named_are_read_in_order(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text(
        '[agents.mine]\ncommand = ["/opt/mine", "--acp"]\ntitle = "Mine"\ninstall = "make it"\n'
        'environment = { MODEL = "large", EMPTY = "" }\n'
        '[agents."an other"]\ncommand = ["other"]\n',
        encoding="utf-8",
    )

    assert read_named(file).unwrap() == [
        Agent(
            "mine",
            "Mine",
            ("/opt/mine", "--acp"),
            "make it",
            profile={"MODEL": "large", "EMPTY": ""},
        ),
        Agent("an other", "an other", ("other",), "install other yourself"),
    ]


@requirement("agents:named")
@pytest.mark.parametrize("content", [None, "", "[agents]\n", "[other]\nthing = 1\n"])
def test_without_a_file_or_without_agents_there_are_none(
    tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / FILE
    if content is not None:
        file.write_text(content, encoding="utf-8")

    assert list(read_named(file).unwrap()) == []


@requirement("agents:named")
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[agents.mine\n", "not TOML"),
        ("agents = 3\n", "agents is no table"),
        ("[agents]\nmine = 3\n", "agents.mine is no agent"),
        ("[agents.mine]\n", "agents.mine is no agent"),
        ('[agents.mine]\ncommand = "mine"\n', "agents.mine is no agent"),
        ("[agents.mine]\ncommand = []\n", "agents.mine is no agent"),
        ("[agents.mine]\ncommand = [1]\n", "agents.mine is no agent"),
        ('[agents.mine]\ncommand = ["mi\\u0000ne"]\n', "agents.mine is no agent"),
        ('[agents.mine]\ncommand = ["mine"]\ntitel = "x"\n', "agents.mine is no agent"),
        ('[agents.mine]\ncommand = ["mine"]\ntitle = 1\n', "agents.mine is no agent"),
        ('[agents.mine]\ncommand = ["mine"]\nenvironment = 1\n', "agents.mine is no agent"),
        ('[agents.mine]\ncommand = ["mine"]\nenvironment = {A = 1}\n', "agents.mine is no agent"),
        (
            '[agents.mine]\ncommand = ["m"]\nenvironment = {"A=B" = "1"}\n',
            "agents.mine is no agent",
        ),
        ('[agents.mine]\ncommand = ["m"]\nenvironment = {"" = "1"}\n', "agents.mine is no agent"),
        (
            '[agents.mine]\ncommand = ["m"]\nenvironment = {A = "\\u0000"}\n',
            "agents.mine is no agent",
        ),
        ('[agents.claude]\ncommand = ["mine"]\n', "agents.claude is no agent"),
        ('[agents.demo]\ncommand = ["mine"]\n', "agents.demo is no agent"),
    ],
)
def test_a_file_that_names_no_agents_is_refused_whole(
    tmp_path: Path, content: str, reason: str
) -> None:
    file = tmp_path / FILE
    file.write_text(content, encoding="utf-8")

    outcome = read_named(file)

    assert failed(outcome)
    assert outcome.failure() == MalformedAgents(str(file), reason)


@requirement("agents:named")
@pytest.mark.parametrize("excess", [0, 1])
def test_the_file_is_bounded(tmp_path: Path, excess: int) -> None:
    file = tmp_path / FILE
    file.write_text("#" * (MAX_BYTES + excess), encoding="utf-8")

    assert failed(read_named(file)) is bool(excess)
