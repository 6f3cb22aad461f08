"""How often one may try to sign in."""

import pytest

from domain.attempts import BY_ACCOUNT, BY_ADDRESS, MAX_REMEMBERED, WINDOW_SECONDS, Attempts
from tests.requirements import requirement

pytestmark = requirement("account:limit")


def test_an_account_is_tried_so_often_in_a_window_from_wherever() -> None:
    attempts = Attempts()
    waits = [attempts.begin("anna", f"10.0.0.{each}", each) for each in range(BY_ACCOUNT)]

    assert waits == [0] * BY_ACCOUNT
    assert attempts.begin("anna", "10.0.1.1", 20.0) == WINDOW_SECONDS - 20
    assert attempts.begin("ben", "10.0.1.1", 20.0) == 0
    assert attempts.begin("anna", "10.0.1.1", WINDOW_SECONDS - 0.5) == 1
    assert attempts.begin("anna", "10.0.1.1", WINDOW_SECONDS) == 0


def test_an_address_fails_so_often_in_a_window_with_whatever_account() -> None:
    attempts = Attempts()
    waits = [attempts.begin(f"user{each}", "10.0.0.1", 0.0) for each in range(BY_ADDRESS)]

    assert waits == [0] * BY_ADDRESS
    assert attempts.begin("another", "10.0.0.1", 1.0) == WINDOW_SECONDS - 1
    assert attempts.begin("another", "10.0.0.2", 1.0) == 0


def test_a_success_frees_the_account_and_gives_the_address_its_attempt_back() -> None:
    attempts = Attempts()
    for _ in range(3 * BY_ADDRESS):
        assert attempts.begin("anna", "10.0.0.1", 0.0) == 0
        attempts.succeeded("anna", "10.0.0.1")


def test_what_is_refused_is_not_counted() -> None:
    attempts = Attempts()
    for _ in range(BY_ACCOUNT + 5):
        attempts.begin("anna", "10.0.0.1", 0.0)
    for each in range(BY_ADDRESS - BY_ACCOUNT):
        assert attempts.begin(f"user{each}", "10.0.0.1", 0.0) == 0


@pytest.mark.parametrize("later", [0.0, WINDOW_SECONDS])
def test_what_is_remembered_is_bounded(later: float) -> None:
    attempts = Attempts()
    for each in range(MAX_REMEMBERED + 10):
        attempts.begin(f"user{each}", f"address{each}", 0.0 if each < MAX_REMEMBERED else later)

    assert attempts.remembered == (MAX_REMEMBERED if later == 0.0 else 10)
