"""What `kandev profile set` asks for: what is named changes, the rest stays."""

import pytest

from composition.commands.profile import parser, wanted
from tests.requirements import requirement

BEFORE = {
    "name": "Fast",
    "agent": "demo",
    "model": "small",
    "system_prompt": None,
    "mcp_servers": [],
    "environment": {"A": "1", "B": "2"},
    "secrets": ["S", "T"],
}
SAME = {
    "name": "Fast",
    "agent": "demo",
    "model": "small",
    "mcp_servers": [],
    "environment": {"A": "1", "B": "2"},
    "secrets": {"S": None, "T": None},
}


@requirement("profile:command")
@pytest.mark.parametrize(
    ("words", "given", "changed"),
    [
        ([], {}, {}),
        (["--model", "large"], {}, {"model": "large"}),
        (["--env", "A=x=y", "--env", "C="], {}, {"environment": {"A": "x=y", "B": "2", "C": ""}}),
        (["--unset", "A", "--unset", "S"], {}, {"environment": {"B": "2"}, "secrets": {"T": None}}),
        (["--secret", "S"], {"S": "new"}, {"secrets": {"S": "new", "T": None}}),
        (
            ["--secret", "A"],
            {"A": "sealed"},
            {"environment": {"B": "2"}, "secrets": {"S": None, "T": None, "A": "sealed"}},
        ),
        (
            ["--env", "S=plain"],
            {},
            {"environment": {"A": "1", "B": "2", "S": "plain"}, "secrets": {"T": None}},
        ),
    ],
)
def test_what_is_named_changes_and_the_rest_stays(
    words: list[str], given: dict[str, str], changed: dict[str, object]
) -> None:
    chosen = parser().parse_args(["set", "agent", "Fast", *words])

    assert wanted(BEFORE, chosen, given) == SAME | changed


@requirement("profile:command")
@pytest.mark.parametrize("word", ["NAME", "=value", ""])
def test_a_variable_is_written_with_its_value(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(["set", "agent", "Fast", "--env", word])

    assert ended.value.code == 2
    assert "write NAME=VALUE" in capsys.readouterr().err
