"""One range of bytes, as a client asks for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.byte_range import MAX_DIGITS, Span, Whole, asked_span, is_current
from tests.requirements import requirement

TAG = '"tag"'


@requirement("bundles:range")
@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, Whole.ALL),
        ("bytes=0-0", Span(0, 1)),
        ("bytes=0-99", Span(0, 100)),
        ("bytes=0-1000", Span(0, 100)),
        ("bytes=99-", Span(99, 100)),
        ("bytes=100-", Whole.UNSATISFIABLE),
        ("bytes=-1", Span(99, 100)),
        ("bytes=-100", Span(0, 100)),
        ("bytes=-101", Span(0, 100)),
        ("bytes=-0", Whole.UNSATISFIABLE),
        ("BYTES=5-6", Span(5, 7)),
        (" bytes= 5-6 ", Span(5, 7)),
        ("bytes=6-5", Whole.ALL),
        ("bytes=0-1,5-6", Whole.ALL),
        ("bytes=-", Whole.ALL),
        ("bytes=a-b", Whole.ALL),
        ("lines=0-1", Whole.ALL),
        (f"bytes=0-{'9' * MAX_DIGITS}", Span(0, 100)),
        (f"bytes=0-{'9' * (MAX_DIGITS + 1)}", Whole.ALL),
    ],
)
def test_a_range_is_one_span_or_none(header: str | None, expected: Span | Whole) -> None:
    assert asked_span(header, None, TAG, 100) == expected


@requirement("bundles:range")
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (None, Span(0, 1)),
        (TAG, Span(0, 1)),
        ('"other"', Whole.ALL),
        (f"W/{TAG}", Whole.ALL),
        ("Tue, 01 Dec 2026 00:00:00 GMT", Whole.ALL),
    ],
)
def test_a_conditional_range_holds_for_the_same_strong_tag(
    condition: str | None, expected: Span | Whole
) -> None:
    assert asked_span("bytes=0-0", condition, TAG, 100) == expected


@given(st.integers(0, 50), st.integers(0, 60), st.integers(1, 40))
def test_a_span_lies_inside(start: int, last: int, length: int) -> None:
    span = asked_span(f"bytes={start}-{last}", None, TAG, length)

    data = bytes(range(length))
    if isinstance(span, Span):
        assert data[span.start : span.stop] == data[start : last + 1] != b""
    else:
        assert span is (Whole.ALL if last < start else Whole.UNSATISFIABLE)


@pytest.mark.parametrize(
    ("header", "expected"),
    [(None, False), (TAG, True), (f'"a", W/{TAG}', True), ("*", True), ('"a"', False)],
)
def test_a_client_may_have_it_already(header: str | None, expected: bool) -> None:
    assert is_current(header, TAG) is expected
