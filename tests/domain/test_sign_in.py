"""How long a sign-in lasts, its cookie, and texts that are shown once."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from domain.account import Role
from domain.http_door import Asked, cookie, from_our_page
from domain.identity import InvitationId, SignInId, UserId
from domain.invitation import (
    MAX_INVITATION_DAYS,
    InvalidDays,
    Invitation,
    check_days,
    is_open,
    suits,
)
from domain.outcome import Failure, Success
from domain.shown_once import RANDOM_BYTES, Kind, digest, spell
from domain.sign_in import (
    MAX_AGENT,
    SIGN_IN_LIFE,
    TOUCH_EVERY,
    cookie_name,
    lasts,
    seen,
    started,
)
from tests.requirements import requirement

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SIGN_IN = started(SignInId("sgn"), UserId("anna"), "d", "Browser", NOW)
INVITATION = Invitation(
    InvitationId("inv"), "d", None, Role.MEMBER, UserId("anna"), NOW, NOW + timedelta(days=7)
)
INSTANT = timedelta.resolution


@requirement("account:signed-in")
def test_a_sign_in_slides_and_is_written_once_a_minute() -> None:
    assert lasts(SIGN_IN, NOW + SIGN_IN_LIFE - INSTANT)
    assert not lasts(SIGN_IN, NOW + SIGN_IN_LIFE)
    assert seen(SIGN_IN, NOW + TOUCH_EVERY - INSTANT) is None
    later = NOW + TOUCH_EVERY
    assert seen(SIGN_IN, later) == replace(SIGN_IN, seen_at=later)


@requirement("account:signed-in")
@pytest.mark.parametrize(
    ("agent", "kept"),
    [("Firefox", "Firefox"), ("a\r\nb", "ab"), ("x" * (MAX_AGENT + 1), "x" * MAX_AGENT), ("", "")],
)
def test_what_a_browser_calls_itself_is_bounded(agent: str, kept: str) -> None:
    assert started(SignInId("s"), UserId("u"), "d", agent, NOW).agent == kept


@requirement("account:cookie")
@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("127.0.0.1:38429", "kandev_session_38429"),
        ("[::1]:80", "kandev_session_80"),
        ("[::1]", "kandev_session"),
        ("kandev.example", "kandev_session"),
    ],
)
def test_two_servers_on_one_machine_have_cookies_of_their_own(host: str, name: str) -> None:
    assert cookie_name(host) == name


@requirement("account:cookie")
@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("k=v", "v"),
        ("a=b; k=v; c=d", "v"),
        ("k=v=w", "v=w"),
        ("k=", ""),
        ("", None),
        ("kk=v", None),
        ("k=v; k=w", None),
        ("K=v", None),
    ],
)
def test_a_cookie_is_read_by_its_name_and_once(header: str, value: str | None) -> None:
    assert cookie(header, "k") == value


@requirement("account:cookie")
@pytest.mark.parametrize(
    ("method", "origin", "site", "websocket", "ours"),
    [
        ("GET", None, None, False, True),
        ("GET", None, None, True, False),
        ("GET", "http://h", None, True, True),
        ("POST", None, None, False, False),
        ("POST", "http://h", None, False, True),
        ("POST", None, "same-origin", False, True),
        ("DELETE", None, "none", False, True),
    ],
)
def test_with_a_cookie_alone_nothing_is_changed(
    method: str, origin: str | None, site: str | None, websocket: bool, ours: bool
) -> None:
    asked = Asked(method, "h", origin, site, None, has_body=False)

    assert from_our_page(asked, websocket=websocket) is ours


@requirement("account:shown-once")
@pytest.mark.parametrize("kind", Kind)
def test_a_text_is_found_by_its_digest_among_its_kind(kind: Kind) -> None:
    shown = spell(kind, bytes(range(RANDOM_BYTES))).reveal()

    assert digest(kind, shown) == sha256(shown.encode()).hexdigest()
    assert [digest(other, shown) for other in Kind if other is not kind] == [None, None]


@requirement("account:shown-once")
@pytest.mark.parametrize(
    "shown", ["", "kds_", "kds_" + "A" * 42, "kds_" + "A" * 44, "kds_" + "é" * 43]
)
def test_what_has_another_shape_is_not_looked_for(shown: str) -> None:
    assert digest(Kind.SIGN_IN, shown) is None


@requirement("account:invitation")
@pytest.mark.parametrize("days", [0, 1, MAX_INVITATION_DAYS, MAX_INVITATION_DAYS + 1])
def test_an_invitation_has_an_end(days: int) -> None:
    good = 1 <= days <= MAX_INVITATION_DAYS
    expected = Success(timedelta(days=days)) if good else Failure(InvalidDays(days))

    assert check_days(days) == expected
    assert is_open(INVITATION, INVITATION.expires_at - INSTANT)
    assert not is_open(INVITATION, INVITATION.expires_at)


@requirement("account:invitation")
def test_an_invitation_may_be_for_one_address() -> None:
    assert suits(INVITATION, "anna@example.org")
    addressed = replace(INVITATION, email="anna@example.org")
    assert suits(addressed, "anna@example.org")
    assert not suits(addressed, "ben@example.org")


@pytest.mark.parametrize("length", [RANDOM_BYTES - 1, RANDOM_BYTES + 1])
def test_a_text_is_made_of_its_whole_randomness(length: int) -> None:
    with pytest.raises(ValueError, match="32 random bytes"):
        spell(Kind.CLAIM, bytes(length))
