"""Contents and requests about files, and their bounds."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.checkout_file import (
    MAX_LISTED,
    MAX_MATCHES,
    MAX_QUERY_CHARACTERS,
    MAX_WRITE_BYTES,
    Encoding,
    EntryKind,
    FileEntry,
    InvalidContent,
    InvalidQuery,
    Match,
    Search,
    Write,
    check_place,
    check_search,
    check_write,
    content_of,
    digest,
    excerpt,
    listed,
    matched,
)
from domain.outcome import Failure, Success, failed
from domain.worktree_path import InvalidPath
from tests.requirements import requirement


@requirement("session-files:content")
@given(st.binary())
def test_every_content_can_be_written_back_as_it_was(data: bytes) -> None:
    content = content_of(data)

    assert check_write(Write("a", content.content, content.encoding)) == Success(data)
    assert (content.size, content.digest) == (len(data), digest(data))


@requirement("session-files:content")
@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", Encoding.UTF_8),
        ("äöü\r\n\ufeff".encode(), Encoding.UTF_8),
        (b"a\0b", Encoding.BASE64),
        (b"\xff", Encoding.BASE64),
        (b"\xed\xa0\x80", Encoding.BASE64),
    ],
)
def test_only_what_is_surely_text_is_text(data: bytes, encoding: Encoding) -> None:
    assert content_of(data).encoding is encoding


@requirement("session-files:write")
@pytest.mark.parametrize(
    "write",
    [
        Write("a", "x" * (MAX_WRITE_BYTES + 1)),
        Write("a", base64.b64encode(bytes(MAX_WRITE_BYTES + 1)).decode(), Encoding.BASE64),
        Write("a", "no base64!", Encoding.BASE64),
        Write("a", "\ud800"),
        Write("a", "x", replaces="main"),
    ],
)
def test_what_is_no_content_is_refused(write: Write) -> None:
    assert check_write(write) == Failure(InvalidContent())


@requirement("session-files:write")
def test_a_write_at_its_bound_is_taken() -> None:
    assert not failed(check_write(Write("a", "x" * MAX_WRITE_BYTES, replaces=digest(b""))))


@requirement("session-files:inside")
def test_a_path_is_checked_everywhere() -> None:
    assert check_write(Write("../a", "")) == Failure(InvalidPath())
    assert check_place("/etc") == Failure(InvalidPath())
    assert check_place("") == Success("")
    assert check_search(Search("x", path=".git")) == Failure(InvalidPath())


@pytest.mark.parametrize("query", ["", "a\nb", "a\0b", "x" * (MAX_QUERY_CHARACTERS + 1)])
def test_a_query_is_one_line(query: str) -> None:
    assert check_search(Search(query)) == Failure(InvalidQuery())
    assert not failed(check_search(Search("x" * MAX_QUERY_CHARACTERS)))


@requirement("session-files:look")
@pytest.mark.parametrize(("count", "omitted"), [(MAX_LISTED, 0), (MAX_LISTED + 1, 1)])
def test_entries_over_the_bound_are_counted(count: int, omitted: int) -> None:
    told = listed([FileEntry(f"{number:05}", EntryKind.FILE, 0) for number in range(count)])

    assert (len(told.entries), told.omitted) == (MAX_LISTED, omitted)


@requirement("session-files:look")
@pytest.mark.parametrize(("count", "omitted"), [(MAX_MATCHES, 0), (MAX_MATCHES + 1, 1)])
def test_matches_over_the_bound_are_counted(count: int, omitted: int) -> None:
    told = matched([Match("a", number, "") for number in range(count)])

    assert (len(told.matches), told.omitted) == (MAX_MATCHES, omitted)


@requirement("agentctl:protocol:files")
@given(st.text(alphabet="ab\n\r\u2028"), st.integers(0, 4))
def test_excerpts_of_each_line_make_the_text(text: str, limit: int) -> None:
    count = text.count("\n") + 1
    lines = [excerpt(text, line, 1) for line in range(1, count + 1)]

    assert "".join(lines) == text == excerpt(text, None, None)
    assert excerpt(text, 1, limit) == excerpt(text, 0, limit) == "".join(lines[:limit])
    assert excerpt(text, count + 1, None) == ""
