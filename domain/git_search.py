"""A search in a checkout, done by git, so that what it ignores is not looked at."""

from collections.abc import Iterator
from typing import Final

from domain.checkout_file import MAX_MATCH_CHARACTERS, Match, Matches, Search, matched
from domain.worktree_path import shown

__all__ = ("content", "names", "read_content", "read_names")

_LITERAL: Final = "--literal-pathspecs"
_FIELDS: Final = 3


def content(search: Search) -> tuple[str, ...]:
    """The command for a search, which was checked, of lines that hold a text as it is written."""
    return (
        _LITERAL,
        "grep",
        "--untracked",
        "--line-number",
        "--no-column",
        "--no-color",
        "--full-name",
        "--fixed-strings",
        "-I",
        "-z",
        "-e",
        search.query,
        "--",
        *_below(search),
    )


def names(search: Search) -> tuple[str, ...]:
    """The command for a search, which was checked, of paths that hold a text in any case."""
    listed = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    return (_LITERAL, *listed, "--", *_below(search))


def read_content(output: str, _: str) -> Matches:
    """What git printed for `content`: path, NUL, line, NUL, text, line feed."""
    return matched(tuple(_lines(shown(output))))


def read_names(output: str, query: str) -> Matches:
    """Those of the paths that git printed for `names`."""
    wanted = query.casefold()
    paths = [path for path in shown(output).split("\0") if wanted in path.casefold()]
    return matched([Match(path, None, "") for path in sorted(paths)])


def _lines(output: str) -> Iterator[Match]:
    for line in output.split("\n"):
        fields = line.split("\0", _FIELDS - 1)
        if len(fields) == _FIELDS and fields[1].isdecimal():
            yield Match(fields[0], int(fields[1]), fields[2][:MAX_MATCH_CHARACTERS])


def _below(search: Search) -> tuple[str, ...]:
    return () if search.path is None else (search.path,)
