"""What `kandev user` asks for, and how it lists."""

import io
from typing import Any

import pytest

from composition.commands.user import change, claimed, invitation, line, parser, password
from tests.requirements import requirement

pytestmark = requirement("account:command")

ACCOUNT = {
    "id": "usr_a",
    "email": "anna@example.org",
    "name": "Anna",
    "role": "member",
    "active": True,
}


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ([], {"email": None, "role": "member", "expires_in_days": 7}),
        (
            ["--email", "a@b", "--admin", "--days", "1"],
            {"email": "a@b", "role": "admin", "expires_in_days": 1},
        ),
    ],
)
def test_an_invitation_is_for_a_member_unless_told_otherwise(
    words: list[str], asked: dict[str, Any]
) -> None:
    assert invitation(parser().parse_args(["invite", *words])) == asked


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["role", "usr_a", "admin"], {"role": "admin"}),
        (["disable", "usr_a"], {"active": False}),
        (["enable", "usr_a"], {"active": True}),
    ],
)
def test_a_change_changes_one_thing(words: list[str], asked: dict[str, Any]) -> None:
    assert change(parser().parse_args(words)) == asked


def test_an_account_that_may_not_act_is_marked() -> None:
    assert line(ACCOUNT) == "usr_a  member  anna@example.org  Anna\n"
    assert line({**ACCOUNT, "active": False}).startswith("usr_a  member, disabled  ")


def test_the_home_is_claimed_with_a_password_that_is_no_argument(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ["claim", "kdc_x", "--email", "a@b", "--name", "Anna"]
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse \nmore\n"))

    asked = claimed(parser().parse_args(words), password())

    assert asked == {
        "code": "kdc_x",
        "email": "a@b",
        "name": "Anna",
        "password": "correct horse ",
    }
