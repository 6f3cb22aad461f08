"""Names of backups."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from domain.backup import Origin, name_of, origin_of
from domain.upgrade import BackupFile, backup_name, surplus

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
NAMED = (Origin.MANUAL, Origin.REPLACED)


@pytest.mark.parametrize("origin", NAMED)
def test_a_name_is_in_utc_tells_the_origin_and_is_never_another_ones(origin: Origin) -> None:
    at = AT.astimezone(timezone(timedelta(hours=5)))
    first = name_of(origin, at, ())
    second = name_of(origin, at, {first})
    third = name_of(origin, at, {first, second})

    assert first == f"{origin.value}-20260102T030405Z.db"
    assert second == f"{origin.value}-20260102T030405Z-2.db"
    assert third == f"{origin.value}-20260102T030405Z-3.db"
    assert {origin_of(each) for each in (first, second, third)} == {origin}


def test_the_copy_before_an_upgrade_is_automatic() -> None:
    assert origin_of(backup_name("1.0", AT, ())) is Origin.AUTOMATIC


@pytest.mark.parametrize("origin", NAMED)
def test_only_automatic_backups_are_ever_surplus(origin: Origin) -> None:
    assert surplus([BackupFile(name_of(origin, AT, ()), 0)] * 9) == []


@pytest.mark.parametrize(
    "name",
    [
        "",
        "random.db",
        "../manual-20260102T030405Z.db",
        "a/manual-20260102T030405Z.db",
        "manual-20260102T030405Z.db\n",
        "manual-20260102T030405Z.db.partial",
        "manual-2026.db",
        "automatic-20260102T030405Z.db",
    ],
)
def test_a_name_that_no_backup_has_is_none_of_ours(name: str) -> None:
    assert origin_of(name) is None
