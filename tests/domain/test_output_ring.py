"""An output is read in order, from any number on, however it was added and cut."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.output_ring import OutputRing, Piece
from tests.requirements import requirement


def _filled(bound: int, *chunks: bytes) -> OutputRing:
    ring = OutputRing(bound)
    for chunk in chunks:
        ring.add(chunk)
    return ring


@requirement("background:output")
@given(st.text(max_size=40), st.integers(4, 50), st.integers(4, 9), st.lists(st.integers(0, 160)))
@example("aé€😀" * 3, 100, 4, [1, 2, 3, 5, 8])
def test_pieces_make_the_end_of_what_was_added(
    text: str, bound: int, limit: int, cuts: list[int]
) -> None:
    data = text.encode()
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    ring = _filled(bound, *(data[a:b] for a, b in pairwise(edges)))

    read, after = b"", 0
    while (piece := ring.read(after, limit, whole=True)).data:
        read, after = read + piece.data, piece.end

    assert ring.end == len(data)
    assert data.endswith(read)
    assert len(read) > min(bound, len(data)) - 4
    assert read.decode() == read.decode("utf-8", "replace")


@requirement("background:output:bound")
@pytest.mark.parametrize(("size", "begin"), [(8, 0), (9, 1)])
def test_at_its_bound_a_ring_forgets_its_oldest_bytes(size: int, begin: int) -> None:
    ring = _filled(8, b"x" * size)

    assert ring.begin == begin
    assert ring.read(0, 100, whole=False) == Piece(begin, size, b"x" * 8)


@requirement("background:output")
@pytest.mark.parametrize("part", [b"\xe2", b"\xe2\x82", b"\xf0\x9f\x98", b"\xc3"])
def test_the_beginning_of_a_character_waits_for_its_rest(part: bytes) -> None:
    ring = _filled(100, b"a" + part)

    assert ring.read(0, 100, whole=False) == Piece(0, 1, b"a")
    assert ring.read(0, 100, whole=True) == Piece(0, 1 + len(part), b"a" + part)


@requirement("background:output")
def test_what_is_no_text_is_given_too() -> None:
    ring = _filled(100, b"\x80\x80\x80\x80\xff")

    assert ring.read(0, 100, whole=True).data == b"\x80\x80\x80\x80\xff"
    assert ring.read(9, 100, whole=False) == Piece(5, 5, b"")
