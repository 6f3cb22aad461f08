"""The archive that is planned is the archive that is sent, and every reader takes it."""

import io
import shutil
import stat
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import zip_layout
from domain.outcome import failed
from domain.zip_layout import (
    MAX_ENTRIES,
    MAX_NAME_BYTES,
    MAX_OFFSET,
    ArchivePlan,
    BadName,
    EntrySlice,
    NameCollision,
    NameFault,
    StoredEntry,
    TooLarge,
    TooManyEntries,
    Unplannable,
)
from tests.requirements import requirement

NOON = datetime(2026, 7, 29, 12, 30, 42, tzinfo=UTC)

File = tuple[str, bytes]

names = st.lists(
    st.text("abcé-_.\U0001f642", min_size=1, max_size=8).filter(
        lambda segment: segment.strip(".") and not segment.startswith("-")
    ),
    min_size=1,
    max_size=3,
).map("/".join)
times = st.datetimes(timezones=st.just(UTC))


@st.composite
def file_lists(draw: st.DrawFn) -> list[File]:
    files: list[File] = []
    for name in draw(st.lists(names, max_size=6)):
        candidate = (name, draw(st.binary(max_size=300)))
        if not failed(zip_layout.plan([entry(*file) for file in (*files, candidate)])):
            files.append(candidate)
    return files


def entry(name: str, body: bytes = b"", at: datetime = NOON) -> StoredEntry:
    return StoredEntry(name, len(body), zlib.crc32(body), at)


def planned(files: Sequence[File], at: datetime = NOON) -> ArchivePlan:
    outcome = zip_layout.plan([entry(name, body, at) for name, body in files])
    assert not failed(outcome)
    return outcome.unwrap()


def refused(*entries: StoredEntry) -> Unplannable:
    outcome = zip_layout.plan(entries)
    assert failed(outcome)
    return outcome.failure()


def produced(
    files: Sequence[File], plan: ArchivePlan, start: int = 0, stop: int | None = None
) -> bytes:
    return b"".join(
        part
        if isinstance(part, bytes)
        else files[part.index][1][part.offset : part.offset + part.length]
        for part in plan.slices(start, plan.length if stop is None else stop)
    )


EXAMPLE = [("backend/backend-logs.log", b"ten bytes\n"), ("manifest.json", b'{"a": 1}')]


@requirement("bundle:archive:length")
def test_two_small_files_have_a_known_layout() -> None:
    plan = planned(EXAMPLE)
    archive = produced(EXAMPLE, plan)

    assert plan.length == len(archive) == 266
    assert archive[54:64] == b"ten bytes\n"
    assert archive[107:115] == b'{"a": 1}'
    assert archive.index(b"PK\1\2") == 115
    assert plan.slices(54, 115) == (
        EntrySlice(0, 0, 10),
        archive[64:107],
        EntrySlice(1, 0, 8),
    )
    assert produced(EXAMPLE, plan, 30, 54) == b"backend/backend-logs.log"


@requirement("bundle:archive:length")
def test_a_lone_manifest_costs_a_fixed_overhead() -> None:
    assert planned([("manifest.json", b"{}")]).length == 126
    assert planned([]).length == 22


@requirement("bundle:archive:stored")
def test_every_header_says_sizes_crc_and_mode_up_front() -> None:
    archive = produced(EXAMPLE, planned(EXAMPLE))
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for member, (name, body) in zip(opened.infolist(), EXAMPLE, strict=True):
            local = archive[member.header_offset :][:30]

            assert member.filename == name
            assert member.compress_type == zipfile.ZIP_STORED
            assert member.external_attr >> 16 == stat.S_IFREG | 0o600
            assert member.extra == b""
            assert member.flag_bits & 1 << 3 == 0
            assert local[6:8] == b"\0\0"
            assert int.from_bytes(local[14:18], "little") == zlib.crc32(body)
            assert int.from_bytes(local[18:22], "little") == len(body)
            assert int.from_bytes(local[22:26], "little") == len(body)


@requirement("bundle:archive:stored")
@pytest.mark.parametrize(("name", "flags"), [("x/é.txt", 1 << 11), ("x/e.txt", 0)])
def test_only_a_name_beyond_ascii_says_that_it_is_utf_8(name: str, flags: int) -> None:
    files = [(name, b"")]
    archive = produced(files, planned(files))
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert [(member.filename, member.flag_bits) for member in opened.infolist()] == [
            (name, flags)
        ]


@requirement("bundle:archive:length")
@requirement("bundle:archive:crc")
@given(file_lists(), times)
def test_any_plan_is_kept_to_the_byte(files: list[File], at: datetime) -> None:
    plan = planned(files, at)
    archive = produced(files, plan)

    assert len(archive) == plan.length
    assert zlib.crc32(archive) == plan.crc32
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.testzip() is None
        assert [(name, opened.read(name)) for name in opened.namelist()] == files


@requirement("bundle:archive:range")
@given(file_lists(), st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3000)), max_size=20))
def test_any_range_is_the_slice_of_the_whole(
    files: list[File], ranges: list[tuple[int, int]]
) -> None:
    plan = planned(files)
    archive = produced(files, plan)
    for pair in ranges:
        start, stop = sorted(pair)

        assert produced(files, plan, start, stop) == archive[start:stop]


@requirement("bundle:archive:range")
def test_a_range_at_every_border_is_the_slice_of_the_whole() -> None:
    files = [("a", b""), ("b", b"xy"), ("c", b""), ("d", b"z")]
    plan = planned(files)
    archive = produced(files, plan)
    for start in range(plan.length + 2):
        for stop in range(start, min(start + 40, plan.length + 2)):
            assert produced(files, plan, start, stop) == archive[start:stop]


@requirement("bundle:archive:range")
@pytest.mark.parametrize(("start", "stop"), [(-1, 4), (5, 4)])
def test_a_range_that_is_none_is_a_bug(start: int, stop: int) -> None:
    plan = planned(EXAMPLE)

    with pytest.raises(ValueError, match="range"):
        plan.slices(start, stop)


@requirement("bundle:archive:same")
def test_the_same_plan_is_the_same_bytes_and_another_payload_another_tag() -> None:
    changed = [EXAMPLE[0], ("manifest.json", b'{"a": 2}')]

    assert planned(EXAMPLE) == planned(EXAMPLE)
    assert planned(EXAMPLE).etag != planned(changed).etag
    assert planned(EXAMPLE).etag != planned(EXAMPLE, NOON + timedelta(seconds=2)).etag
    assert planned(EXAMPLE).etag != planned(EXAMPLE[::-1]).etag
    assert planned(EXAMPLE).etag.strip('"').isalnum()
    assert planned(EXAMPLE).etag[0] == planned(EXAMPLE).etag[-1] == '"'


@requirement("bundle:archive:name")
@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", NameFault.EMPTY),
        ("/x", NameFault.NOT_RELATIVE),
        ("../x", NameFault.SEGMENT),
        ("a//b", NameFault.SEGMENT),
        ("a/./b", NameFault.SEGMENT),
        ("a/..", NameFault.SEGMENT),
        ("a/", NameFault.SEGMENT),
        (".", NameFault.SEGMENT),
        ("a\\b", NameFault.CHARACTER),
        ("a\0b", NameFault.CHARACTER),
        ("a\nb", NameFault.CHARACTER),
        ("a\udc80", NameFault.CHARACTER),
        ("-rf", NameFault.OPTION_LIKE),
        ("é" * (MAX_NAME_BYTES // 2) + "x", NameFault.TOO_LONG),
    ],
)
def test_a_name_that_could_unpack_elsewhere_is_refused(name: str, fault: NameFault) -> None:
    assert refused(entry("fine"), entry(name)) == BadName(1, fault)


@requirement("bundle:archive:name")
@pytest.mark.parametrize("name", ["...", "a b", "..a/b..", "é" * (MAX_NAME_BYTES // 2), "a/-b"])
def test_a_name_that_only_looks_odd_is_kept(name: str) -> None:
    assert planned([(name, b"")]).entries[0].name == name


@requirement("bundle:archive:name")
@pytest.mark.parametrize(
    "both",
    [
        ("a/b", "a/b"),
        ("a/b", "A/B"),
        ("straße", "STRASSE"),
        ("é", "e\u0301"),
        ("a/b", "a"),
        ("a", "a/b"),
        ("A/b/c", "a/B"),
        ("a/b", "a/b/c/d"),
    ],
)
def test_names_that_are_one_file_somewhere_are_refused(both: tuple[str, str]) -> None:
    assert refused(entry("x"), *map(entry, both)) == NameCollision(2, 1)


@requirement("bundle:archive:bounds")
def test_what_would_need_zip64_is_refused() -> None:
    largest = StoredEntry("a", MAX_OFFSET - len("a") - 30, 0, NOON)
    larger = StoredEntry("a", largest.size + 1, 0, NOON)
    half = StoredEntry("half", MAX_OFFSET // 2, 0, NOON)

    assert not failed(zip_layout.plan([largest]))
    assert refused(larger) == TooLarge(0)
    assert refused(half, entry("b"), StoredEntry("c", half.size, 0, NOON)) == TooLarge(2)


@requirement("bundle:archive:bounds")
def test_as_many_entries_as_the_format_counts_are_planned_and_no_more() -> None:
    most = [entry(str(index)) for index in range(MAX_ENTRIES)]

    assert not failed(zip_layout.plan(most))
    assert refused(*most, entry("one more")) == TooManyEntries(MAX_ENTRIES + 1)


@requirement("bundle:archive:time")
@pytest.mark.parametrize(
    ("at", "shown"),
    [
        (NOON, (2026, 7, 29, 12, 30, 42)),
        (NOON.replace(second=59), (2026, 7, 29, 12, 30, 58)),
        (
            datetime(2026, 7, 29, 1, 0, 0, tzinfo=timezone(timedelta(hours=2))),
            (2026, 7, 28, 23, 0, 0),
        ),
        (datetime(1979, 12, 31, 23, 59, tzinfo=UTC), (1980, 1, 1, 0, 0, 0)),
        (datetime(2108, 1, 1, tzinfo=UTC), (2107, 12, 31, 23, 59, 58)),
        (
            datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
            (1980, 1, 1, 0, 0, 0),
        ),
    ],
)
def test_times_are_utc_and_held_to_what_the_format_says(
    at: datetime, shown: tuple[int, ...]
) -> None:
    archive = produced(EXAMPLE, planned(EXAMPLE, at))
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert [member.date_time for member in opened.infolist()] == [shown, shown]


@pytest.mark.parametrize(
    ("size", "crc", "at"),
    [
        (-1, 0, NOON),
        (0, -1, NOON),
        (0, 1 << 32, NOON),
        (0, 0, datetime(2026, 7, 29)),  # noqa: DTZ001 - naive is what is refused
    ],
)
def test_an_entry_that_says_nonsense_is_a_bug(size: int, crc: int, at: datetime) -> None:
    with pytest.raises(ValueError, match="zone"):
        StoredEntry("a", size, crc, at)


READERS = [
    [sys.executable, "-m", "zipfile", "-t"],
    *(
        [program, *arguments]
        for program, *arguments in (("unzip", "-tq"), ("zipinfo", "-v"))
        if shutil.which(program)
    ),
]


@requirement("bundle:archive:readers")
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: " ".join(reader[-2:]))
def test_the_readers_of_this_machine_take_the_archive(reader: list[str], tmp_path: Path) -> None:
    files = [*EXAMPLE, ("empty", b""), ("frontend/é.jsonl", bytes(range(256)) * 5000)]
    archive = tmp_path / "bundle.zip"
    archive.write_bytes(produced(files, planned(files)))

    read = subprocess.run([*reader, str(archive)], capture_output=True, check=False, timeout=20)

    assert (read.returncode, read.stderr) == (0, b"")
