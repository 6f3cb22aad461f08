"""Capabilities: what they say, how they travel, and what they are worth."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.capability import (
    CAPABILITY_LIFE,
    KEY_ID_BYTES,
    MAX_CAPABILITY_LENGTH,
    MAX_SKEW,
    NONCE_BYTES,
    Claims,
    Sealed,
    associated,
    decode,
    encode,
    frame,
    may_reissue,
    unframe,
)
from domain.identity import ExecutionId, SessionId, TaskId
from domain.lease import MAX_LIVE_LEASES, Authority, LeaseRefusal, Refusal
from domain.outcome import Failure, Success
from domain.repository import MAX_REMOTE_LENGTH, RepositoryIdentity
from domain.secret import Secret
from tests.domain.lease_examples import AUTHORITY, CHANGED, CONNECTION, NOW, OTHER, SCOPE, WIDGETS
from tests.requirements import requirement

CLAIMS = Claims(SCOPE, NOW)
INVALID = Failure(LeaseRefusal(Refusal.INVALID))


@requirement("credentials:capability:claims")
@given(
    path=st.text(max_size=40).map(lambda name: "/" + name),
    session=st.text(max_size=20),
    seconds=st.integers(0, 2**34),
)
def test_claims_survive_being_sealed(path: str, session: str, seconds: int) -> None:
    scope = replace(
        SCOPE, session=SessionId(session), identity=RepositoryIdentity("forge.example", path)
    )
    claims = Claims(scope, datetime.fromtimestamp(seconds, UTC))

    assert decode(encode(claims)) == Success(claims)


@requirement("credentials:capability:claims")
@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"version": True},
        {"version": "1"},
        {"issued_at": True},
        {"issued_at": -1},
        {"issued_at": 2**35},
        {"issued_at": 1.5},
        {"issued_at": None},
        {"session": 7},
        {"path": None},
    ],
)
def test_claims_of_another_shape_are_not_understood(change: dict[str, object]) -> None:
    fields = json.loads(encode(CLAIMS)) | change

    assert decode(json.dumps(fields).encode()) == INVALID


@given(st.binary(max_size=100))
def test_any_plain_text_gets_a_verdict(plain: bytes) -> None:
    assert decode(plain) == INVALID


@pytest.mark.parametrize("plain", [b"[" * 200_000, b"[]", b"null", b"{}", b"9" * 5_000])
def test_no_plain_text_raises(plain: bytes) -> None:
    assert decode(plain) == INVALID


@requirement("credentials:capability:wire")
@given(
    st.binary(min_size=KEY_ID_BYTES, max_size=KEY_ID_BYTES),
    st.binary(min_size=NONCE_BYTES, max_size=NONCE_BYTES),
    st.binary(min_size=1, max_size=200),
)
def test_a_capability_travels_in_one_printable_word(
    key_id: bytes, nonce: bytes, ciphertext: bytes
) -> None:
    sealed = Sealed(key_id, nonce, ciphertext)
    capability = frame(sealed)

    assert capability.reveal().startswith("kdc_")
    assert capability.reveal().isascii()
    assert capability.reveal().isprintable()
    assert unframe(capability) == Success(sealed)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kdc_",
        "kdc_a",
        "kdl_" + "a" * 43,
        "kdc_" + "a" * 27,
        "kdc_" + "a" * 40 + "!",
        "kdc_" + "a" * 43 + "é",
        "kdc_" + "a" * 44 + "\n",
        "kdc_" + "a" * 45,
        "\udcff",
    ],
)
def test_other_text_is_no_capability(text: str) -> None:
    assert unframe(Secret(text)) == INVALID


@requirement("credentials:capability:wire")
def test_a_capability_is_at_most_as_long_as_the_bound() -> None:
    longest = "kdc_".ljust(MAX_CAPABILITY_LENGTH, "a")

    assert isinstance(unframe(Secret(longest)), Success)
    assert unframe(Secret(longest + "aaaa")) == INVALID


def test_the_longest_scope_fits_the_bound() -> None:
    path = "/" + "é" * (MAX_REMOTE_LENGTH - 1)
    scope = replace(SCOPE, identity=RepositoryIdentity("forge.example", path))
    sealed = Sealed(b"k" * KEY_ID_BYTES, b"n" * NONCE_BYTES, encode(Claims(scope, NOW)) + b"t" * 16)

    assert len(frame(sealed).reveal()) <= MAX_CAPABILITY_LENGTH


@pytest.mark.parametrize(("key_id", "nonce"), [(b"k", b"n" * 12), (b"k" * 8, b"n")])
def test_a_key_id_and_a_nonce_have_their_lengths(key_id: bytes, nonce: bytes) -> None:
    with pytest.raises(ValueError, match="8 bytes"):
        frame(Sealed(key_id, nonce, b"x"))


def test_each_key_has_associated_data_of_its_own() -> None:
    assert associated(b"one") != associated(b"two")


@requirement("credentials:capability:reissue")
def test_a_capability_outlives_a_change_of_the_connection() -> None:
    changed = replace(AUTHORITY, connection=CHANGED)

    assert may_reissue(CLAIMS, changed, ExecutionId("e"), WIDGETS, 0, NOW) == Success(CHANGED)
    assert may_reissue(CLAIMS, AUTHORITY, ExecutionId("e"), WIDGETS, 0, NOW) == Success(CONNECTION)


@requirement("credentials:capability:reissue")
@pytest.mark.parametrize(
    ("authority", "execution", "identity", "live", "after", "code"),
    [
        (AUTHORITY, "e2", WIDGETS, 0, timedelta(), Refusal.DENIED),
        (AUTHORITY, "e", OTHER, 0, timedelta(), Refusal.DENIED),
        (replace(AUTHORITY, live=False), "e", WIDGETS, 0, timedelta(), Refusal.DENIED),
        (replace(AUTHORITY, task=TaskId("t2")), "e", WIDGETS, 0, timedelta(), Refusal.DENIED),
        (replace(AUTHORITY, repositories={}), "e", WIDGETS, 0, timedelta(), Refusal.DENIED),
        (replace(AUTHORITY, connection=None), "e", WIDGETS, 0, timedelta(), Refusal.DENIED),
        (None, "e", WIDGETS, 0, timedelta(), Refusal.UNAVAILABLE),
        (AUTHORITY, "e", WIDGETS, MAX_LIVE_LEASES, timedelta(), Refusal.LIMITED),
        (AUTHORITY, "e", WIDGETS, 0, CAPABILITY_LIFE, Refusal.EXPIRED),
        (AUTHORITY, "e", WIDGETS, 0, -MAX_SKEW - timedelta(seconds=1), Refusal.INVALID),
    ],
)
def test_a_capability_is_worth_nothing_that_is_not_live(
    authority: Authority | None,
    execution: str,
    identity: RepositoryIdentity,
    live: int,
    after: timedelta,
    code: Refusal,
) -> None:
    outcome = may_reissue(CLAIMS, authority, ExecutionId(execution), identity, live, NOW + after)

    assert outcome == Failure(LeaseRefusal(code))


@requirement("credentials:capability:reissue")
@pytest.mark.parametrize("after", [-MAX_SKEW, CAPABILITY_LIFE - timedelta(seconds=1)])
def test_a_capability_holds_from_its_skew_to_the_end_of_its_life(after: timedelta) -> None:
    outcome = may_reissue(CLAIMS, AUTHORITY, ExecutionId("e"), WIDGETS, 0, NOW + after)

    assert outcome == Success(CONNECTION)
