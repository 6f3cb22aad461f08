"""Reports of errors: how often, how long, and which address."""

import pytest

from domain.error_report import (
    ALL_BYTES,
    ALL_REPORTS,
    EACH_BYTES,
    EACH_REPORTS,
    FIELD_BYTES,
    bounded,
    plain_url,
)
from domain.identity import UserId
from domain.rate_meter import IDLE_SECONDS, RateMeter
from tests.requirements import requirement

ANNA = UserId("anna")


def people(count: int) -> list[UserId]:
    return [UserId(f"user-{number}") for number in range(count)]


@requirement("reports:rate")
def test_an_identity_has_a_burst_of_twenty_and_one_more_a_second() -> None:
    meter = RateMeter(EACH_REPORTS, ALL_REPORTS)

    assert [meter.take(ANNA, 1, 0.0) for _ in range(21)] == [0] * 20 + [1]
    assert [meter.take(ANNA, 1, 1.0) for _ in range(2)] == [0, 1]


@requirement("reports:rate")
def test_all_together_have_a_burst_of_a_hundred() -> None:
    meter = RateMeter(EACH_REPORTS, ALL_REPORTS)

    assert [meter.take(user, 1, 0.0) for user in people(101)] == [0] * 100 + [1]


@requirement("reports:rate")
def test_bytes_are_counted_as_reports_are() -> None:
    each, together = RateMeter(EACH_BYTES, ALL_BYTES), RateMeter(EACH_BYTES, ALL_BYTES)

    assert [each.take(ANNA, 40_997, 0.0) for _ in range(2)] == [0, 16]
    assert [together.take(user, 65_536, 0.0) for user in people(5)] == [0, 0, 0, 0, 15]


@requirement("reports:rate")
def test_what_is_refused_costs_nothing() -> None:
    meter = RateMeter(EACH_REPORTS, ALL_REPORTS)
    for user in people(100):
        meter.take(user, 1, 0.0)

    assert meter.take(ANNA, 1, 0.0) == 1
    assert [meter.take(ANNA, 1, 60.0) for _ in range(21)] == [0] * 20 + [1]


def test_an_identity_that_was_quiet_is_forgotten() -> None:
    meter = RateMeter(EACH_REPORTS, ALL_REPORTS)
    for user in people(50):
        meter.take(user, 1, 0.0)
    meter.take(ANNA, 1, IDLE_SECONDS)
    at_the_bound = meter.identities
    meter.take(ANNA, 1, IDLE_SECONDS + 61)

    assert (at_the_bound, meter.identities) == (51, 1)


@requirement("reports:bounded")
@pytest.mark.parametrize(("name", "limit"), FIELD_BYTES.items())
def test_a_field_is_cut_at_its_bound(name: str, limit: int) -> None:
    assert bounded({name: "x" * limit}) == ({name: "x" * limit}, False)
    assert bounded({name: "x" * (limit + 1)}) == ({name: "x" * limit}, True)


@requirement("reports:bounded")
def test_a_field_is_cut_between_characters() -> None:
    assert bounded({"title": "🙂" * 4096, "stack": ""}) == ({"title": "🙂" * 2048}, True)
    assert bounded({"task_id": "x" + "é" * 64}).fields == {"task_id": "x" + "é" * 63}


@requirement("reports:url")
@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://u:p@h/a?token=s#f", "http://h/a"),
        ("https://h:8443/a/b", "https://h:8443/a/b"),
        ("http://[::1]:80/", "http://[::1]:80/"),
        ("javascript:alert(1)", ""),
        ("http://h:port/", ""),
        ("http://[", ""),
        ("/only/a/path", ""),
        ("", ""),
    ],
)
def test_of_an_address_scheme_host_and_path_are_kept(url: str, expected: str) -> None:
    assert plain_url(url) == expected
