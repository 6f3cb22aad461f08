"""What a log sink takes while it is behind."""

import pytest

from domain.log_queue import (
    CONSOLE_QUEUE,
    ENTRY_BYTES,
    FILE_QUEUE,
    Bounds,
    Level,
    LossReason,
    refusal,
    zero_losses,
)
from tests.requirements import requirement

SMALL = Bounds(entries=3, bytes=30, reserved_entries=1, reserved_bytes=10, entry_bytes=20)
MIB = 1024 * 1024


@requirement("sinks:shed")
@pytest.mark.parametrize(
    ("bounds", "pending", "level", "size", "expected"),
    [
        (SMALL, (1, 5), Level.INFO, 6, None),
        (SMALL, (2, 11), Level.INFO, 5, LossReason.RESERVED_CAPACITY),
        (SMALL, (1, 15), Level.INFO, 6, LossReason.RESERVED_CAPACITY),
        (SMALL, (2, 11), Level.WARN, 7, None),
        (SMALL, (3, 18), Level.ERROR, 8, LossReason.CAPACITY),
        (SMALL, (1, 25), Level.ERROR, 6, LossReason.CAPACITY),
        (FILE_QUEUE, (6143, 614_300), Level.INFO, 100, None),
        (FILE_QUEUE, (6144, 614_400), Level.INFO, 100, LossReason.RESERVED_CAPACITY),
        (FILE_QUEUE, (8191, 819_100), Level.WARN, 100, None),
        (FILE_QUEUE, (8192, 819_200), Level.WARN, 100, LossReason.CAPACITY),
        (FILE_QUEUE, (23, 23 * ENTRY_BYTES), Level.INFO, ENTRY_BYTES, None),
        (FILE_QUEUE, (24, 6 * MIB), Level.INFO, 1, LossReason.RESERVED_CAPACITY),
        (FILE_QUEUE, (24, 6 * MIB), Level.WARN, ENTRY_BYTES, None),
        (CONSOLE_QUEUE, (1535, 1535), Level.INFO, 1, None),
        (CONSOLE_QUEUE, (1536, 1536), Level.INFO, 1, LossReason.RESERVED_CAPACITY),
        (CONSOLE_QUEUE, (2047, 2047), Level.FATAL, 1, None),
        (CONSOLE_QUEUE, (2048, 2048), Level.FATAL, 1, LossReason.CAPACITY),
    ],
)
def test_low_levels_are_shed_before_the_room_kept_for_warnings(
    bounds: Bounds, pending: tuple[int, int], level: Level, size: int, expected: LossReason | None
) -> None:
    assert refusal(bounds, *pending, level, size) is expected


@requirement("sinks:bounds")
@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize(
    ("size", "expected"), [(ENTRY_BYTES, None), (ENTRY_BYTES + 1, LossReason.ENTRY_TOO_LARGE)]
)
def test_an_entry_has_at_most_256_kib(level: Level, size: int, expected: LossReason | None) -> None:
    assert refusal(FILE_QUEUE, 0, 0, level, size) is expected


def test_nothing_is_taken_while_the_sink_closes() -> None:
    refused = refusal(FILE_QUEUE, 0, 0, Level.ERROR, 1, closing=True)

    assert refused is LossReason.SHUTDOWN_TIMEOUT


@requirement("sinks:counted")
def test_every_level_and_reason_is_counted_from_the_start() -> None:
    assert len(zero_losses()) == len(Level) * len(LossReason)
    assert set(zero_losses().values()) == {0}
