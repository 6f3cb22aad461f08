"""One file a UTC day, and only our own old ones go."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log_retention import (
    ACTIVE_NAME,
    DAILY_BYTES,
    Turn,
    active_day,
    candidates,
    dated_name,
    day_of,
    expired,
    fits,
    parse_dated,
    turn,
)
from tests.requirements import requirement

TODAY = date(2026, 7, 30)


def dated(*days: str) -> list[str]:
    return [f"backend-logs-{day}.log" for day in days]


@requirement("logs:day")
def test_a_day_is_a_utc_day() -> None:
    summer = timezone(timedelta(hours=2))

    assert day_of(datetime(2026, 7, 30, 1, 59, tzinfo=summer)) == date(2026, 7, 29)
    assert day_of(datetime(2026, 7, 30, 2, 0, tzinfo=summer)) == date(2026, 7, 30)


@requirement("logs:day")
@pytest.mark.parametrize(
    ("day", "said"),
    [
        (date(2026, 7, 30), Turn.SAME),
        (date(2026, 7, 29), Turn.NEXT),
        (date(2026, 7, 1), Turn.NEXT),
        (date(2026, 7, 31), Turn.BACKWARDS),
    ],
)
def test_a_file_ends_with_its_day_and_not_when_the_clock_is_set_back(day: date, said: Turn) -> None:
    assert turn(day, TODAY) is said


@requirement("logs:day:marker")
@pytest.mark.parametrize(
    ("marker", "modified", "day"),
    [
        ("2026-07-29", datetime(2026, 7, 30, 5, tzinfo=UTC), date(2026, 7, 29)),
        ("2026-07-29\n", datetime(2026, 7, 30, 5, tzinfo=UTC), date(2026, 7, 29)),
        (None, datetime(2026, 7, 28, 5, tzinfo=UTC), date(2026, 7, 28)),
        ("29/07", datetime(2026, 7, 28, 5, tzinfo=UTC), date(2026, 7, 28)),
        ("2026-02-30", datetime(2026, 7, 28, 5, tzinfo=UTC), date(2026, 7, 28)),
        ("20260729", datetime(2026, 7, 28, 5, tzinfo=UTC), date(2026, 7, 28)),
        ("2026-07-01", None, TODAY),
        (None, None, TODAY),
    ],
)
def test_the_marker_says_the_day_of_the_active_file(
    marker: str | None, modified: datetime | None, day: date
) -> None:
    assert active_day(marker, modified, TODAY) == day


@requirement("logs:bound")
def test_a_day_is_filled_exactly_and_not_passed() -> None:
    assert fits(DAILY_BYTES - 3, 3)
    assert not fits(DAILY_BYTES - 3, 4)
    assert DAILY_BYTES == 268_435_456


@requirement("logs:retention")
@pytest.mark.parametrize(
    ("today", "kept", "gone"),
    [
        ("2026-07-30", ["2026-07-29", "2026-07-28"], ["2026-07-27", "2026-07-26"]),
        ("2026-03-01", ["2026-02-28", "2026-02-27"], ["2026-02-26"]),
        ("2028-03-01", ["2028-02-29", "2028-02-28"], ["2028-02-27"]),
        ("2027-01-01", ["2026-12-31", "2026-12-30"], ["2026-12-29"]),
        ("2026-07-30", ["2026-08-15"], []),
    ],
)
def test_today_and_the_two_days_before_are_kept(
    today: str, kept: list[str], gone: list[str]
) -> None:
    names = [ACTIVE_NAME, *dated(*kept, *gone)]

    assert expired(names, date.fromisoformat(today)) == tuple(sorted(dated(*gone)))


@requirement("logs:retention")
@pytest.mark.parametrize(
    "name",
    [
        "backend-logs-not-a-day.log",
        "another-service.log",
        "backend-logs-2026-02-30.log",
        "backend-logs-2026-07-01.log.gz",
        "xbackend-logs-2026-07-01.log",
        "backend-logs-2026-07-01.log\n",
        "backend-logs-20260701.log",
        "backend-logs-٢٠٢٦-٠٧-٠١.log",
        "backend-logs-0000-01-01.log",
        ".backend-logs-day",
        "",
    ],
)
def test_a_name_that_is_not_ours_stays(name: str) -> None:
    assert parse_dated(name) is None
    assert expired([name], TODAY) == ()


@requirement("logs:retention")
@given(st.dates())
def test_a_dated_name_is_read_back(day: date) -> None:
    assert parse_dated(dated_name(day)) == day


@requirement("logs:evidence")
def test_evidence_is_three_names_newest_first() -> None:
    assert candidates(date(2026, 3, 1)) == (ACTIVE_NAME, *dated("2026-02-28", "2026-02-27"))
