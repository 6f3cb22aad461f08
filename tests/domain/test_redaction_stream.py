"""Chunk borders hide nothing, delay little and hold little."""

import base64
import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.outcome import Success
from domain.redaction import MASK, Redactor, Surface
from domain.redaction_stream import HELD_BYTES, ByteStream, TextStream
from domain.secret import Secret
from domain.secret_shapes import REACH
from tests.requirements import requirement

VALUES = ("correct horse", "9f3Qx7/Lm+2Vt!Kd", "ünïcödé value", "aaaaaaaaaa")

fragments = st.sampled_from((
    *VALUES,
    *(base64.b64encode(b"u:" + value.encode()).decode() for value in VALUES),
    "https://user:pass@host/",
    "https://user:",
    "token=",
    'token="',
    "Authorization: Bearer ",
    "ghp_abcdefgh",
    "kdl_",
    "basic ",
    "QUJDREVGRw==",
    "eyJhbGciOiJIUzI1NiJ9.",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "-----",
    "\n",
    " ",
    '"',
    "\\",
    "\U0001f642",
    "prose, and more of it",
    "x" * 100,
    "y z " * 600,
))
texts = st.lists(fragments, max_size=14).map("".join)


def knowing(*values: str) -> Redactor:
    redactor = Redactor()
    for value in values:
        assert redactor.register(Secret(value)) == Success(None)
    return redactor


def chunked(text: str, cuts: Sequence[int]) -> list[str]:
    borders = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(borders)]


@requirement("redaction:stream")
@given(texts, st.lists(st.integers(0, 20_000), max_size=30), st.sampled_from(Surface))
def test_a_stream_is_redacted_as_its_whole(text: str, cuts: list[int], surface: Surface) -> None:
    redactor = knowing(*VALUES)
    stream = TextStream(redactor, surface)
    out = "".join([*map(stream.feed, chunked(text, cuts)), stream.close()])

    assert (out, stream.masked) == redactor.redact(text, surface)


@requirement("redaction:stream")
@pytest.mark.parametrize(
    "secret",
    [
        *VALUES,
        base64.b64encode(b"user:correct horse").decode(),
        "https://user:pass@host/ ",
        f"https://{'x' * 1024}@host/ ",
        'token="a b c" ',
        "password = abc ",
        "Authorization: Bearer abc def",
        "basic QUJDREVGRw== ",
        "task-1234567890123456 sk-1234567890123456 ",
        f"eyJ{'x' * 512}.eyJzdWIiOiIxIn0.abcdefgh ",
        "-----BEGIN PRIVATE KEY-----abc-----END PRIVATE KEY-----",
    ],
)
def test_every_place_of_a_border_gives_the_same(secret: str) -> None:
    redactor = knowing(*VALUES)
    hold = max(REACH, redactor.longest)
    line = "x y " * 800 + secret + "| x y " * 800
    whole = redactor.redact(line)
    end = 3200 + len(secret)
    for border in range(3200 - 8, end + 8):
        for first in (border, border + hold):
            stream = TextStream(redactor)
            out = stream.feed(line[:first]) + stream.feed(line[first:]) + stream.close()

            assert (out, stream.masked) == whole


@requirement("redaction:stream")
@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000])
def test_chunks_of_any_size_give_the_same(size: int) -> None:
    redactor = knowing(*VALUES)
    draw = random.Random(size)
    text = "".join(
        draw.choice((*VALUES, " ", "word ", "\n", "ghp_abcdefgh", "https://u:p@h/ "))
        for _ in range(2000)
    ).encode()
    stream = ByteStream(redactor)
    out = b"".join(stream.feed(text[at : at + size]) for at in range(0, len(text), size))

    assert out + stream.close() == redactor.redact(text).text


@requirement("redaction:stream")
def test_bytes_that_are_no_text_pass() -> None:
    stream = ByteStream(knowing(*VALUES))
    data = bytes(range(128, 256)) * 200

    assert stream.feed(data[:9_999]) + stream.feed(data[9_999:]) + stream.close() == data


@requirement("redaction:stream:prompt")
def test_a_finished_line_comes_out_at_once() -> None:
    stream = TextStream(knowing("correct horse"))

    assert stream.feed("one\ntwo: correct ho") == "one\n"
    assert stream.feed("rse!\nthree") == f"two: {MASK}!\n"
    assert stream.close() == "three"


@requirement("redaction:stream:prompt")
def test_of_an_unfinished_line_only_the_end_waits() -> None:
    stream = TextStream(Redactor())

    assert len(stream.feed("x y " * REACH)) == 3 * REACH
    assert stream.close() == "x y " * (REACH // 4)


@requirement("redaction:stream:prompt")
def test_a_private_key_waits_for_its_end() -> None:
    stream = TextStream(Redactor())
    assert stream.feed("key:\n-----BEGIN PRIVATE KEY-----\nabc\n") == "key:\n"
    assert stream.feed("def\n") == ""

    assert stream.feed("-----END PRIVATE KEY-----\nafter\n") == f"{MASK}\nafter\n"


@requirement("redaction:stream:memory")
def test_an_endless_secret_is_masked_without_being_held() -> None:
    stream = TextStream(Redactor())
    fed = [stream.feed("kdl_")] + [stream.feed("x" * 1000) for _ in range(1000)]

    assert "".join(fed) == MASK
    assert stream.feed("x" * HELD_BYTES + ' after "') + stream.close() == ' after "'
    assert stream.masked == 1


@requirement("redaction:stream:memory")
@pytest.mark.parametrize("unit", ["word ", "x", "kdl_x", 'token="', "https://"])
def test_a_stream_gives_back_all_but_a_bounded_rest(unit: str) -> None:
    redactor = Redactor()
    chunk = unit * 1000
    stream = TextStream(redactor)
    for _ in range(20):
        stream.feed(chunk)

    assert len(stream.close()) <= 2 * HELD_BYTES + len(chunk)
