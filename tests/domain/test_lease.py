"""Leases: what a token is, and when it may be redeemed."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.connection import Status
from domain.identity import (
    ConnectionId,
    ExecutionId,
    RepositoryId,
    SessionId,
    TaskId,
    WorkspaceId,
)
from domain.lease import (
    LEASE_LIFE,
    MAX_LIVE_LEASES,
    TOKEN_BYTES,
    Authority,
    LeaseRecord,
    LeaseRefusal,
    Refusal,
    digest,
    may_issue,
    may_redeem,
    token,
)
from domain.outcome import Failure, Success
from domain.repository import RepositoryIdentity
from domain.secret import Secret
from tests.domain.lease_examples import (
    AUTHORITY,
    CHANGED,
    CONNECTION,
    NOW,
    OTHER,
    RECORD,
    SCOPE,
    WIDGETS,
)
from tests.requirements import requirement


def refusal(code: Refusal) -> Failure[LeaseRefusal]:
    return Failure(LeaseRefusal(code))


@requirement("credentials:lease:token")
@given(st.binary(min_size=TOKEN_BYTES, max_size=TOKEN_BYTES))
def test_a_token_is_its_prefix_and_32_random_bytes(random: bytes) -> None:
    text = token(random).reveal()

    assert re.fullmatch(r"kdl_[A-Za-z0-9_-]{43}", text)


@pytest.mark.parametrize("length", [0, TOKEN_BYTES - 1, TOKEN_BYTES + 1])
def test_a_token_is_made_of_no_fewer_and_no_more_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="32 random bytes"):
        token(bytes(length))


@requirement("credentials:lease:token")
def test_only_a_hash_is_kept_of_a_token() -> None:
    made = token(bytes(range(32)))

    assert digest(made) == digest(Secret(made.reveal()))
    assert digest(made) != digest(token(bytes(32)))
    assert made.reveal().encode() not in digest(made)
    assert len(digest(Secret("\udcff"))) == 32


@requirement("credentials:lease:redeem")
@pytest.mark.parametrize("seconds", [0, 3_600, LEASE_LIFE.total_seconds() - 1])
def test_a_lease_whose_every_part_still_holds_is_redeemed(seconds: float) -> None:
    now = NOW + timedelta(seconds=seconds)

    assert may_redeem(RECORD, AUTHORITY, ExecutionId("e"), WIDGETS, now) == Success(CONNECTION)


@requirement("credentials:lease:redeem")
@pytest.mark.parametrize(
    ("record", "authority", "execution", "identity", "after", "code"),
    [
        (None, AUTHORITY, "e", WIDGETS, 0, Refusal.INVALID),
        (RECORD, AUTHORITY, "e2", WIDGETS, 0, Refusal.DENIED),
        (RECORD, AUTHORITY, "e", OTHER, 0, Refusal.DENIED),
        (RECORD, AUTHORITY, "e", replace(WIDGETS, path="/Acme/widgets"), 0, Refusal.DENIED),
        (RECORD, AUTHORITY, "e", replace(WIDGETS, host="github.com:8443"), 0, Refusal.DENIED),
        (replace(RECORD, revoked_at=NOW), AUTHORITY, "e", WIDGETS, 0, Refusal.REVOKED),
        (RECORD, AUTHORITY, "e", WIDGETS, LEASE_LIFE.total_seconds(), Refusal.EXPIRED),
        (RECORD, None, "e", WIDGETS, 0, Refusal.UNAVAILABLE),
        (RECORD, replace(AUTHORITY, live=False), "e", WIDGETS, 0, Refusal.DENIED),
        (RECORD, replace(AUTHORITY, workspace=WorkspaceId("w2")), "e", WIDGETS, 0, Refusal.DENIED),
        (RECORD, replace(AUTHORITY, task=TaskId("t2")), "e", WIDGETS, 0, Refusal.DENIED),
        (RECORD, replace(AUTHORITY, session=SessionId("s2")), "e", WIDGETS, 0, Refusal.DENIED),
        (RECORD, replace(AUTHORITY, execution=ExecutionId("e2")), "e", WIDGETS, 0, Refusal.DENIED),
        (RECORD, replace(AUTHORITY, repositories={}), "e", WIDGETS, 0, Refusal.DENIED),
        (
            RECORD,
            replace(AUTHORITY, repositories={RepositoryId("r"): OTHER}),
            "e",
            WIDGETS,
            0,
            Refusal.DENIED,
        ),
        (RECORD, replace(AUTHORITY, connection=None), "e", WIDGETS, 0, Refusal.REVOKED),
        (RECORD, replace(AUTHORITY, connection=CHANGED), "e", WIDGETS, 0, Refusal.REVOKED),
        (
            RECORD,
            replace(AUTHORITY, connection=replace(CONNECTION, id=ConnectionId("c2"))),
            "e",
            WIDGETS,
            0,
            Refusal.REVOKED,
        ),
        (
            RECORD,
            replace(AUTHORITY, connection=replace(CONNECTION, host="gitlab.com")),
            "e",
            WIDGETS,
            0,
            Refusal.DENIED,
        ),
        (
            RECORD,
            replace(AUTHORITY, connection=replace(CONNECTION, workspace=WorkspaceId("w2"))),
            "e",
            WIDGETS,
            0,
            Refusal.DENIED,
        ),
        *(
            (
                RECORD,
                replace(AUTHORITY, connection=replace(CONNECTION, status=status)),
                "e",
                WIDGETS,
                0,
                Refusal.UNAVAILABLE,
            )
            for status in Status
            if status is not Status.ACTIVE
        ),
    ],
)
def test_a_lease_of_which_a_part_no_longer_holds_is_refused(
    record: LeaseRecord | None,
    authority: Authority | None,
    execution: str,
    identity: RepositoryIdentity,
    after: float,
    code: Refusal,
) -> None:
    now = NOW + timedelta(seconds=after)

    assert may_redeem(record, authority, ExecutionId(execution), identity, now) == refusal(code)


@requirement("credentials:lease:issue")
def test_a_lease_is_issued_for_what_is_live_up_to_the_bound() -> None:
    assert may_issue(SCOPE, AUTHORITY, MAX_LIVE_LEASES - 1) == Success(CONNECTION)
    assert may_issue(SCOPE, AUTHORITY, MAX_LIVE_LEASES) == refusal(Refusal.LIMITED)


@requirement("credentials:lease:issue")
@pytest.mark.parametrize(
    ("authority", "code"),
    [
        (None, Refusal.UNAVAILABLE),
        (replace(AUTHORITY, live=False), Refusal.DENIED),
        (replace(AUTHORITY, repositories={}), Refusal.DENIED),
        (replace(AUTHORITY, connection=None), Refusal.DENIED),
        (
            replace(AUTHORITY, connection=replace(CONNECTION, status=Status.REVOKED)),
            Refusal.UNAVAILABLE,
        ),
    ],
)
def test_no_lease_is_issued_for_what_is_not(authority: Authority | None, code: Refusal) -> None:
    assert may_issue(SCOPE, authority, 0) == refusal(code)


@requirement("credentials:lease:codes")
def test_the_refusals_are_a_closed_set_of_stable_codes() -> None:
    assert {code.value for code in Refusal} == {
        "lease_invalid",
        "lease_expired",
        "lease_revoked",
        "lease_denied",
        "lease_unavailable",
        "lease_limited",
    }


@requirement("credentials:lease:codes")
def test_only_a_lease_that_is_gone_is_worth_a_new_one() -> None:
    assert {code for code in Refusal if LeaseRefusal(code).reissuable} == {
        Refusal.INVALID,
        Refusal.EXPIRED,
        Refusal.REVOKED,
    }
