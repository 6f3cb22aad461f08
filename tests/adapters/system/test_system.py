"""The machine's clocks and names."""

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from adapters.system.clock import SystemClock
from adapters.system.ids import SystemIds
from adapters.system.own_process import ProcProcess
from ports.clock import Clock
from ports.ids import Ids
from tests.fakes.clock import ManualClock
from tests.fakes.ids import CountingIds

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def number_of(name: str) -> int:
    number = 0
    for character in name.rsplit("_", 1)[1]:
        number = number * 32 + ALPHABET.index(character)
    return number


def test_the_wall_clock_is_aware_and_in_utc() -> None:
    clock: Clock = SystemClock()

    assert clock.now().utcoffset() == timedelta(0)
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(minutes=1)
    assert clock.monotonic() <= clock.monotonic()


def test_names_are_safe_everywhere_and_never_the_same() -> None:
    ids: Ids = SystemIds(SystemClock())

    names = [ids.new("task") for _ in range(2_000)]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"task_[0-9a-hjkmnp-tv-z]{26}", name) for name in names)


def test_names_sort_in_the_order_they_were_given_even_when_the_clock_goes_back() -> None:
    clock = ManualClock()
    ids = SystemIds(clock)

    names = []
    for step in (0, 0, 5, -3_600_000, 0, 7_200_000):
        clock.set_wall(clock.now() + timedelta(milliseconds=step))
        names.append(ids.new("x"))

    assert sorted(names) == names


def test_a_name_has_the_time_and_eighty_random_bits() -> None:
    clock = ManualClock()
    numbers = [number_of(SystemIds(clock).new("x")) for _ in range(64)]

    milliseconds = int(clock.now().timestamp() * 1_000)
    assert {number >> 80 for number in numbers} == {milliseconds}
    seen_set, seen_clear = 0, 0
    for number in numbers:
        seen_set |= number
        seen_clear |= ~number
    assert seen_set & seen_clear & (2**80 - 1) == 2**80 - 1


def test_random_bytes_have_the_length_that_was_asked_for() -> None:
    ids = SystemIds(SystemClock())

    assert [len(ids.random(length)) for length in (0, 1, 32)] == [0, 1, 32]
    assert ids.random(32) != ids.random(32)


def test_counting_ids_are_the_same_in_every_run_and_never_repeat() -> None:
    one: Ids = CountingIds("a")
    other = CountingIds("a")

    assert [one.new("x"), one.new("x")] == [other.new("x"), other.new("x")]
    assert one.random(32) == other.random(32)
    assert one.random(32) != one.random(32)


def test_what_this_process_uses_is_what_the_kernel_says() -> None:
    process = ProcProcess()
    before = process.used()

    with Path(os.devnull).open("rb"):
        after = process.used()

    assert after.open_descriptors == before.open_descriptors + 1
    assert after.cpu_seconds >= before.cpu_seconds > 0
    assert after.resident_bytes % os.sysconf("SC_PAGE_SIZE") == 0
