"""What `kandev token` asks for, and how it lists."""

import pytest

from composition.commands.token import line, parser, wanted
from tests.requirements import requirement


@requirement("token:command")
@pytest.mark.parametrize(
    ("words", "scopes", "days"),
    [
        ([], ["read"], 30),
        (["--scope", "write", "--days", "7"], ["write"], 7),
        (["--scope", "read", "--scope", "write"], ["read", "write"], 30),
    ],
)
def test_a_token_only_reads_unless_told_otherwise(
    words: list[str], scopes: list[str], days: int
) -> None:
    chosen = parser().parse_args(["create", "ci", *words])

    assert wanted(chosen) == {"name": "ci", "scopes": scopes, "expires_in_days": days}


@requirement("token:command")
def test_a_token_is_listed_without_its_text() -> None:
    token = {
        "id": "tok_a",
        "name": "ci",
        "scopes": ["read", "write"],
        "expires_at": "2030-01-02T00:00:00Z",
    }

    assert line(token) == "tok_a  read,write  2030-01-02T00:00:00Z  ci\n"
