"""What `kandev token` asks for, and how it lists."""

import pytest

from composition.commands.token import line, parser, wanted
from tests.requirements import requirement


@requirement("token:command")
@pytest.mark.parametrize(
    ("words", "scopes", "days", "limits"),
    [
        ([], ["read"], 30, None),
        (["--scope", "write", "--days", "7"], ["write"], 7, None),
        (["--scope", "read", "--scope", "write"], ["read", "write"], 30, None),
        (["--workspace", "ws_a", "--workspace", "ws_b"], ["read"], 30, ["ws_a", "ws_b"]),
    ],
)
def test_a_token_only_reads_unless_told_otherwise(
    words: list[str], scopes: list[str], days: int, limits: list[str] | None
) -> None:
    chosen = parser().parse_args(["create", "ci", *words])

    assert wanted(chosen) == {
        "name": "ci",
        "scopes": scopes,
        "expires_in_days": days,
        "workspace_ids": limits,
    }


@requirement("token:command")
def test_a_token_is_listed_without_its_text() -> None:
    token = {
        "id": "tok_a",
        "name": "ci",
        "scopes": ["read", "write"],
        "expires_at": "2030-01-02T00:00:00Z",
        "workspace_ids": None,
    }
    limited = {**token, "workspace_ids": ["ws_a", "ws_b"]}

    assert line(token) == "tok_a  read,write  2030-01-02T00:00:00Z  ci\n"
    assert line(limited) == "tok_a  read,write  2030-01-02T00:00:00Z  ci  in ws_a,ws_b\n"
