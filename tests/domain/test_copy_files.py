"""The text of a repository's copied files, as it is read and as it is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.copy_files import CopyEntry, UnknownKeyword, alternatives, parse, validate
from domain.outcome import Failure, Success, failed
from tests.requirements import requirement


def copy(pattern: str) -> CopyEntry:
    return CopyEntry(pattern, symlink=False)


def link(pattern: str) -> CopyEntry:
    return CopyEntry(pattern, symlink=True)


WELL_FORMED: list[tuple[str, tuple[CopyEntry, ...]]] = [
    ("", ()),
    (" , ", ()),
    (".env", (copy(".env"),)),
    (" .env , , .env.local ", (copy(".env"), copy(".env.local"))),
    (
        ".env, .env.local:symlink, config/{local,dev}.yml",
        (copy(".env"), link(".env.local"), copy("config/{local,dev}.yml")),
    ),
    ("{a,{b,c}}.txt", (copy("{a,{b,c}}.txt"),)),
    ("a},b", (copy("a}"), copy("b"))),
    ("{a,b", (copy("{a,b"),)),
    (".env:", (copy(".env"),)),
    (":", ()),
    (".env : symlink ", (link(".env"),)),
    (".env:symlink, .env", (link(".env"),)),
    (".env, .env:symlink", (copy(".env"),)),
    ("a,b,a,b:symlink,c", (copy("a"), copy("b"), copy("c"))),
    ("C:x:symlink", (link("C:x"),)),
    ("literal::symlink", (copy("literal:symlink"),)),
    ("::symlink", (copy(":symlink"),)),
    ("a:::symlink", (copy("a::symlink"),)),
    ("**/*.key:symlink", (link("**/*.key"),)),
]

REFUSED: list[tuple[str, UnknownKeyword, tuple[CopyEntry, ...]]] = [
    (".env:hardlink", UnknownKeyword(".env", "hardlink"), (copy(".env"),)),
    (".env, foo:move", UnknownKeyword("foo", "move"), (copy(".env"), copy("foo"))),
    (".env:Symlink", UnknownKeyword(".env", "Symlink"), (copy(".env"),)),
    ("config:dev", UnknownKeyword("config", "dev"), (copy("config"),)),
    (":symlink", UnknownKeyword("", "symlink"), ()),
    (":move", UnknownKeyword("", "move"), ()),
    ("{a,b:symlink}", UnknownKeyword("{a,b", "symlink}"), (copy("{a,b"),)),
    (
        "literal::symlink:copy",
        UnknownKeyword("literal::symlink", "copy"),
        (copy("literal::symlink"),),
    ),
]


@requirement("copy-files:grammar")
@pytest.mark.parametrize(("spec", "entries"), WELL_FORMED)
def test_a_well_formed_text_is_read_and_may_be_saved(
    spec: str, entries: tuple[CopyEntry, ...]
) -> None:
    assert parse(spec) == entries
    assert validate(spec) == Success(entries)


@requirement("copy-files:refused")
@pytest.mark.parametrize(("spec", "problem", "entries"), REFUSED)
def test_an_unknown_keyword_is_refused_when_saved_and_a_copy_when_stored(
    spec: str, problem: UnknownKeyword, entries: tuple[CopyEntry, ...]
) -> None:
    assert validate(spec) == Failure(problem)
    assert parse(spec) == entries


@requirement("copy-files:grammar")
@given(st.text(",:{} ab\nsymlink"))
def test_any_text_is_read_without_empty_or_repeated_patterns(spec: str) -> None:
    patterns = [entry.pattern for entry in parse(spec)]

    assert all(pattern and pattern == pattern.strip() for pattern in patterns)
    assert len(set(patterns)) == len(patterns)
    saved = validate(spec)
    assert failed(saved) or saved.unwrap() == parse(spec)


@requirement("copy-files:given")
@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a", ("a",)),
        ("{a,b}.txt", ("a.txt", "b.txt")),
        ("{a,{b,c}}.txt", ("a.txt", "b.txt", "a.txt", "c.txt")),
        ("a{b", ("a{b",)),
        ("a}b", ("a}b",)),
        ("{a,b}{c,d}", ("ac", "ad", "bc", "bd")),
    ],
)
def test_braces_stand_for_each_of_their_choices(pattern: str, expected: tuple[str, ...]) -> None:
    assert set(alternatives(pattern)) == set(expected)


@pytest.mark.parametrize(("choices", "expanded"), [(256, True), (257, False)])
def test_braces_are_expanded_up_to_the_bound(choices: int, expanded: bool) -> None:
    pattern = "{" + ",".join(map(str, range(choices))) + "}"
    assert (len(alternatives(pattern)) == choices) == expanded
