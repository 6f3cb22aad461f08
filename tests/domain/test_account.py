"""What an account is: its address, its password, and that somebody administers."""

from dataclasses import replace

import pytest

from domain.account import (
    MAX_EMAIL,
    MAX_PASSWORD,
    MIN_PASSWORD,
    Account,
    InvalidEmail,
    InvalidPassword,
    Role,
    check_email,
    check_password,
    leaves_an_admin,
)
from domain.identity import UserId
from domain.outcome import Failure, Success, failed
from domain.secret import Secret
from tests.account_examples import account_of
from tests.requirements import requirement

ADMIN = account_of(UserId("a"), Role.ADMIN)


@requirement("account:address")
@pytest.mark.parametrize(
    ("text", "email"),
    [
        ("anna@example.org", "anna@example.org"),
        ("  Anna@Example.ORG\n", "anna@example.org"),
        ("a@b", "a@b"),
        ("größe@example.org", "größe@example.org"),
        ("a" * (MAX_EMAIL - 2) + "@b", "a" * (MAX_EMAIL - 2) + "@b"),
    ],
)
def test_an_address_has_one_spelling(text: str, email: str) -> None:
    assert check_email(text) == Success(email)


@requirement("account:address")
@pytest.mark.parametrize(
    "text",
    ["", "anna", "@b", "a@", "a@b@c", "a b@c", "a@b c", "a\x00@b", "a" * (MAX_EMAIL - 1) + "@b"],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    assert check_email(text) == Failure(InvalidEmail())


@requirement("account:password")
@pytest.mark.parametrize(
    ("length", "taken"),
    [
        (MIN_PASSWORD - 1, False),
        (MIN_PASSWORD, True),
        (MAX_PASSWORD, True),
        (MAX_PASSWORD + 1, False),
    ],
)
def test_a_password_has_bounds(length: int, taken: bool) -> None:
    checked = check_password(Secret("ä" * length))

    assert failed(checked) is not taken
    assert taken or checked == Failure(InvalidPassword(length))


@requirement("account:last-admin")
@pytest.mark.parametrize(
    ("before", "after", "admins", "left"),
    [
        (ADMIN, replace(ADMIN, role=Role.MEMBER), 1, False),
        (ADMIN, replace(ADMIN, role=Role.MEMBER), 2, True),
        (ADMIN, replace(ADMIN, active=False), 1, False),
        (ADMIN, replace(ADMIN, name="Other"), 1, True),
        (replace(ADMIN, active=False), ADMIN, 0, True),
        (replace(ADMIN, role=Role.MEMBER), replace(ADMIN, role=Role.MEMBER, active=False), 1, True),
    ],
)
def test_somebody_is_left_to_administer(
    before: Account, after: Account, admins: int, left: bool
) -> None:
    assert leaves_an_admin(before, after, admins) is left
