"""The algebra agrees with the bytes."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import crc32
from tests.requirements import requirement


@requirement("bundle:archive:crc")
@given(st.binary(max_size=2000), st.binary(max_size=2000))
def test_a_joined_text_has_the_combined_crc(first: bytes, second: bytes) -> None:
    combined = crc32.combine(zlib.crc32(first), zlib.crc32(second), len(second))

    assert combined == zlib.crc32(first + second)


@requirement("bundle:archive:crc")
@given(st.binary(max_size=2000), st.integers(0, 2000))
def test_an_end_has_the_crc_that_the_whole_and_the_beginning_leave(text: bytes, cut: int) -> None:
    beginning, end = text[:cut], text[cut:]

    assert crc32.remainder(zlib.crc32(text), zlib.crc32(beginning), len(end)) == zlib.crc32(end)


@requirement("bundle:archive:crc")
@pytest.mark.parametrize("length", [0, 1, 1 << 20, (1 << 24) + 12345])
def test_zeros_of_any_length_are_appended_without_being_read(length: int) -> None:
    first = zlib.crc32(b"kandev")
    zeros = bytes(length)

    assert crc32.combine(first, zlib.crc32(zeros), length) == zlib.crc32(zeros, first)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1))
def test_a_remainder_undoes_a_combination(first: int, second: int, length: int) -> None:
    whole = crc32.combine(first, second, length)

    assert crc32.remainder(whole, first, length) == second
