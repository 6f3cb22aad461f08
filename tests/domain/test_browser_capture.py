"""What is taken of browsers: the vectors of an upload, and the bounds at and one past them."""

from dataclasses import replace

import pytest

from domain.browser_capture import (
    ENTRY_BYTES,
    ID_BYTES,
    MAX_BROWSERS,
    MAX_ENTRIES,
    METADATA_BYTES,
    PROFILE_BYTES,
    Chunk,
    Envelope,
    Gathering,
    Heard,
    Verdict,
    admitted,
    taken,
)
from domain.bundle import FRONTEND_BYTES_WITH_ACP, MIB
from tests.requirements import requirement

PLENTY = 80 * MIB
EMPTY = Gathering(targeted=4, budget=PLENTY)


def said(
    browser: str = "b1", stream: str = "s1", index: int = 0, *, done: bool = False
) -> Envelope:
    return Envelope(browser, stream, index, done, "indexeddb")


def brought(gathering: Gathering, envelope: Envelope, *entries: bytes) -> tuple[Gathering, Verdict]:
    """An upload from its admission to its end."""
    gathering, verdict = admitted(gathering, envelope)
    if verdict is not Verdict.ACCEPTED:
        return gathering, verdict
    return taken(gathering, Chunk(envelope, entries))


def heard(*uploads: Envelope, entry: bytes = b"{}", start: Gathering = EMPTY) -> Gathering:
    for upload in uploads:
        start, _ = brought(start, upload, entry)
    return start


@requirement("bundle:capture:first")
def test_the_first_stream_of_a_browser_is_heard_and_no_other() -> None:
    gathering = heard(said())

    after, verdict = brought(gathering, said(stream="s2", index=999), b"{}")

    assert verdict is Verdict.IGNORED
    assert after.heard == gathering.heard
    assert after.ignored == {"s2"}


@requirement("bundle:capture:first")
def test_two_tabs_that_interleave_leave_the_entries_of_one() -> None:
    gathering = EMPTY
    for index in range(50):
        for stream in ("s1", "s2"):
            gathering, _ = brought(gathering, said(stream=stream, index=index), b"{}")

    (one,) = gathering.heard
    assert (one.stream, one.entries, one.following) == ("s1", 50, 50)


@requirement("bundle:capture:order")
def test_a_chunk_out_of_order_changes_nothing() -> None:
    gathering = heard(said())

    after, verdict = brought(gathering, said(index=2), b"{}")
    _, following = brought(after, said(index=1), b"{}")

    assert (after, verdict) == (gathering, Verdict.INVALID)
    assert following is Verdict.ACCEPTED


@requirement("bundle:capture:order")
def test_nothing_comes_after_the_last_chunk() -> None:
    gathering = heard(said(done=True))

    assert brought(gathering, said(index=1), b"{}") == (gathering, Verdict.INVALID)


@requirement("bundle:capture:order")
def test_a_first_chunk_that_is_refused_binds_nothing() -> None:
    after, verdict = brought(EMPTY, said(index=1), b"{}")
    _, other = brought(after, said(stream="s2"), b"{}")

    assert (verdict, after.heard) == (Verdict.INVALID, ())
    assert other is Verdict.ACCEPTED


@requirement("bundle:capture:bounds")
def test_a_fifth_browser_is_refused() -> None:
    names = [f"b{number}" for number in range(MAX_BROWSERS + 1)]
    gathering = heard(*(said(name) for name in names[:-1]))

    after, verdict = brought(gathering, said(names[-1]), b"{}")

    assert verdict is Verdict.TOO_MANY
    assert after.heard == gathering.heard
    assert after.capture().refused == 1


@requirement("bundle:capture:bounds")
@pytest.mark.parametrize(
    ("length", "verdict"),
    [(ENTRY_BYTES, Verdict.ACCEPTED), (ENTRY_BYTES + 1, Verdict.TOO_LARGE)],
)
def test_an_entry_has_a_bound(length: int, verdict: Verdict) -> None:
    assert brought(EMPTY, said(), b"x" * length)[1] is verdict


@requirement("bundle:capture:bounds")
@pytest.mark.parametrize(
    ("done", "length", "verdict"),
    [
        (False, 2, Verdict.INVALID),
        (True, METADATA_BYTES, Verdict.ACCEPTED),
        (True, METADATA_BYTES + 1, Verdict.TOO_LARGE),
    ],
)
def test_metadata_comes_last_and_has_a_bound(done: bool, length: int, verdict: Verdict) -> None:
    envelope = said(done=done)._replace(metadata={}, metadata_length=length)

    assert brought(EMPTY, envelope)[1] is verdict


def nearly(browser: str = "b1", *, entries: int = 0, length: int = 0) -> Heard:
    return Heard(browser, "s1", following=1, entries=entries, length=length)


@requirement("bundle:capture:bounds")
@pytest.mark.parametrize(
    ("before", "entry", "verdict"),
    [
        (nearly(entries=MAX_ENTRIES - 1), b"", Verdict.ACCEPTED),
        (nearly(entries=MAX_ENTRIES), b"", Verdict.LIMITED),
        (nearly(length=PROFILE_BYTES - 2), b"x", Verdict.ACCEPTED),
        (nearly(length=PROFILE_BYTES - 1), b"x", Verdict.LIMITED),
    ],
)
def test_a_browser_at_its_bound_keeps_what_it_brought(
    before: Heard, entry: bytes, verdict: Verdict
) -> None:
    gathering = replace(EMPTY, heard=(before,))

    after, found = brought(gathering, said(index=1), entry)

    assert found is verdict
    assert after.heard[0].limited == (verdict is Verdict.LIMITED)
    if verdict is Verdict.LIMITED:
        assert replace(after.heard[0], limited=False) == before


@requirement("bundle:capture:bounds")
def test_all_browsers_together_have_the_budget_of_the_job() -> None:
    full = tuple(nearly(f"b{number}", length=16 * MIB) for number in range(3))
    gathering = Gathering(4, FRONTEND_BYTES_WITH_ACP, full)

    _, verdict = brought(gathering, said("b3"), b"")

    assert verdict is Verdict.LIMITED


@requirement("bundle:capture:bounds")
@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("x" * ID_BYTES, Verdict.ACCEPTED),
        ("x" * (ID_BYTES + 1), Verdict.INVALID),
        ("é" * (ID_BYTES // 2 + 1), Verdict.INVALID),
        ("", Verdict.INVALID),
        ("../../x", Verdict.ACCEPTED),
    ],
)
def test_an_id_is_opaque_and_has_a_bound(name: str, verdict: Verdict) -> None:
    after, found = brought(EMPTY, said(name), b"{}")

    assert found is verdict
    assert [profile.name for profile in after.capture().profiles] in (
        [],
        ["frontend/browser-01.jsonl"],
    )


@requirement("bundle:capture:bounds")
@pytest.mark.parametrize(
    "envelope", [said(index=-1), said()._replace(storage_mode="disk"), said(stream="")]
)
def test_an_upload_that_cannot_be_meant_is_none(envelope: Envelope) -> None:
    assert brought(EMPTY, envelope, b"{}")[1] is Verdict.INVALID


@requirement("bundle:capture:early")
@pytest.mark.parametrize(
    ("targeted", "uploads", "over"),
    [
        (0, [], True),
        (1, [], False),
        (2, [said(done=True)], False),
        (2, [said(done=True), said("b2", done=True)], True),
        (2, [said(done=True), said(stream="s2")], True),
        (2, [said(), said(stream="s2")], False),
        (1, [said(done=True), said("b2")], False),
    ],
)
def test_it_is_over_when_all_who_were_asked_have_answered(
    targeted: int, uploads: list[Envelope], over: bool
) -> None:
    assert heard(*uploads, start=Gathering(targeted, PLENTY)).over is over


@requirement("bundle:capture:kept")
def test_a_browser_that_leaves_early_keeps_its_beginning_and_says_so() -> None:
    gathering = heard(*(said(index=index) for index in range(3)))

    (profile,) = gathering.capture().profiles

    assert (profile.records, profile.complete) == (3, False)


@requirement("bundle:capture:kept")
def test_a_browser_without_history_is_listed_with_none() -> None:
    after, verdict = brought(EMPTY, said(done=True))

    (profile,) = after.capture().profiles
    assert verdict is Verdict.ACCEPTED
    assert (profile.records, profile.complete) == (0, True)
