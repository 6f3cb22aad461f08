"""What a token may be asked to be, what it opens, and until when."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.access_token import (
    HOME_TOKEN,
    MAX_LIFE_DAYS,
    RANDOM_BYTES,
    AccessToken,
    InvalidLife,
    InvalidScopes,
    Scope,
    Wanted,
    bearer_of,
    check,
    digest,
    keeps_tokens,
    needed,
    spell,
)
from domain.identity import ExecutionId, SessionId, TaskId, TokenId, UserId
from domain.outcome import failed
from domain.principal import Execution, Internal, Principal, Purpose, Token, User
from domain.workspace import InvalidName
from tests.requirements import requirement

NOW = datetime(2030, 1, 2, tzinfo=UTC)
OWNER = UserId("owner")


@requirement("token:scopes")
@pytest.mark.parametrize(
    ("name", "scopes", "days", "problem"),
    [
        ("", ["read"], 1, InvalidName(0)),
        ("ci", [], 1, InvalidScopes()),
        ("ci", ["read", "admin"], 1, InvalidScopes()),
        ("ci", ["READ"], 1, InvalidScopes()),
        ("ci", ["read"], 0, InvalidLife(0)),
        ("ci", ["read"], MAX_LIFE_DAYS + 1, InvalidLife(MAX_LIFE_DAYS + 1)),
    ],
)
def test_what_no_token_can_be_is_refused(
    name: str, scopes: list[str], days: int, problem: object
) -> None:
    checked = check(name, scopes, days, None)

    assert failed(checked)
    assert checked.failure() == problem


@requirement("token:scopes")
@pytest.mark.parametrize("days", [1, MAX_LIFE_DAYS])
def test_a_token_has_what_was_asked_for_and_no_more(days: int) -> None:
    wanted = check(" ci ", ["read", "read"], days, None).unwrap()

    assert wanted == Wanted("ci", frozenset({Scope.READ}), timedelta(days=days), None)


@requirement("token:scopes")
@pytest.mark.parametrize(
    ("method", "scope"),
    [
        *((method, Scope.READ) for method in ("GET", "HEAD", "OPTIONS")),
        *((method, Scope.WRITE) for method in ("POST", "PUT", "PATCH", "DELETE")),
        *((method, Scope.WRITE) for method in ("CONNECT", "get", "TRACE", "")),
    ],
)
def test_whatever_does_not_only_read_writes(method: str, scope: Scope) -> None:
    assert needed(method) is scope


@requirement("token:once")
def test_a_token_is_found_by_a_digest_that_does_not_show_it() -> None:
    shown = spell(bytes(RANDOM_BYTES)).reveal()

    assert digest(shown) == "e0a0c40d383439db2a5d9a139824ec6954f908bfb02282be7c6500c206e66b9c"


@requirement("token:ends")
@pytest.mark.parametrize("shown", ["", "kdt_", "kdl_" + "A" * 43, "kdt_" + "A" * 44, "kdt_\u00e9"])
def test_what_has_another_shape_is_not_looked_for(shown: str) -> None:
    assert digest(shown) is None


@pytest.mark.parametrize("length", [RANDOM_BYTES - 1, RANDOM_BYTES + 1])
def test_a_token_is_made_of_its_whole_randomness(length: int) -> None:
    with pytest.raises(ValueError, match="32 random bytes"):
        spell(bytes(length))


@requirement("token:ends")
def test_a_token_opens_nothing_from_its_end_on() -> None:
    token = AccessToken(
        TokenId("tok_a"), OWNER, "ci", "", frozenset({Scope.READ}), NOW, NOW + timedelta(days=1)
    )
    last = token.expires_at - timedelta.resolution

    bearer = bearer_of(token, last)

    assert bearer is not None
    assert (bearer.principal, bearer.scopes) == (Token(token.id, OWNER, None), token.scopes)
    assert bearer_of(token, token.expires_at) is None


@requirement("token:keepers")
@pytest.mark.parametrize(
    ("principal", "expected"),
    [
        (User(OWNER), True),
        (Token(HOME_TOKEN, OWNER, None), True),
        (Token(TokenId("tok_a"), OWNER, None), False),
        (Execution(ExecutionId("exec"), TaskId("task"), SessionId("ses")), False),
        *((Internal(purpose), False) for purpose in Purpose),
    ],
)
def test_only_the_owner_keeps_tokens(principal: Principal, expected: bool) -> None:
    assert keeps_tokens(principal) is expected
