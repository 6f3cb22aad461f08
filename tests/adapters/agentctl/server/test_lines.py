"""Lines out of pieces, and the bound of a line."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.agentctl.server.acp.lines import Lines, LineTooLongError, split
from domain.agent_bounds import AgentBounds
from tests.requirements import requirement


@requirement("agentctl:protocol:order")
@given(st.lists(st.binary(max_size=20)), st.integers(min_value=1, max_value=30))
def test_lines_do_not_depend_on_how_the_pipe_cut_them(pieces: list[bytes], size: int) -> None:
    stream = b"".join(pieces)
    lines, cut = Lines(1000), []

    for start in range(0, len(stream), size):
        cut.extend(split(lines.feed(stream[start : start + size])))

    assert [*cut, lines.rest()] == stream.split(b"\n")


@requirement("agentctl:protocol:lines")
@pytest.mark.parametrize("pieces", [1, 3])
def test_a_line_may_have_sixteen_mebibytes(pieces: int) -> None:
    limit = AgentBounds().line
    line = b"x" * limit
    step = limit // pieces + 1
    lines = Lines(limit)

    whole = [lines.feed(line[start : start + step]) for start in range(0, limit, step)]
    whole.append(lines.feed(b"\nnext\n"))

    assert limit == 16 * 1024 * 1024
    assert list(chain(*map(split, whole))) == [line, b"next"]


@requirement("agentctl:protocol:lines")
@pytest.mark.parametrize("last", [b"", b"\n", b"\nmore\n"])
def test_one_byte_more_is_too_long_and_the_lines_before_it_are_kept(last: bytes) -> None:
    lines = Lines(10)

    with pytest.raises(LineTooLongError) as caught:
        lines.feed(b"one\ntwo\n" + b"x" * 11 + last)

    assert caught.value.lines == [b"one", b"two"]
