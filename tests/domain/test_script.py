"""Placeholders become words of the shell, once; output keeps its end."""

import shlex
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.script import (
    OUTPUT_BYTES,
    Output,
    Placeholder,
    expand,
    is_blank,
    keep_tail,
    quote,
    unknown,
)
from tests.requirements import requirement

words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)


def said_by_the_shell(script: str) -> str:
    ran = subprocess.run(
        ["/bin/sh", "-c", script], capture_output=True, check=True, timeout=20, cwd="/"
    )
    return ran.stdout.decode()


@requirement("script:placeholder:quoted")
def test_a_value_is_one_word_with_its_quotes_taken_apart() -> None:
    assert quote("x'$(touch pwned)") == "'x'\"'\"'$(touch pwned)'"
    assert expand("cd {{worktree.path}}", {"worktree.path": "/a b"}) == "cd '/a b'"
    assert quote("") == "''"


@requirement("script:placeholder:quoted")
@settings(max_examples=40)
@given(words)
@example("-n")
@example("\n")
@example("'; exit 1 #")
@example("\\")
def test_the_shell_sees_the_value_and_nothing_else(value: str) -> None:
    assert (
        said_by_the_shell(expand("printf %s {{git.user_name}}", {"git.user_name": value})) == value
    )


@requirement("script:placeholder:quoted")
@given(words)
def test_a_quoted_value_is_read_back_as_one_word(value: str) -> None:
    assert shlex.split(quote(value)) == [value]


def test_a_value_that_no_shell_can_hold_is_a_bug() -> None:
    with pytest.raises(ValueError, match="NUL"):
        quote("a\0b")


@requirement("script:placeholder:once")
def test_what_a_value_contains_is_not_expanded() -> None:
    values = {"repository.name": "{{worktree.path}}", "worktree.path": "{{repository.name}}"}

    assert expand("{{repository.name}} {{worktree.path}}", values) == (
        "'{{worktree.path}}' '{{repository.name}}'"
    )


@requirement("script:placeholder:fragment")
def test_a_fragment_of_script_is_used_as_it_is() -> None:
    assert (
        expand(
            "{{setup}}\n{{worktree.path}}",
            {"worktree.path": "/w"},
            {"setup": "echo {{worktree.path}}"},
        )
        == "echo {{worktree.path}}\n'/w'"
    )


@requirement("script:placeholder:unknown")
def test_an_unknown_name_stays_and_is_reported_once() -> None:
    script = "{{nope}} {{worktree.path}} {{nope}} {{ spaced }} {{Upper}} {{a..b}} {single} {{}}"

    assert expand(script, {"worktree.path": "/w"}) == script.replace("{{worktree.path}}", "'/w'")
    assert unknown(script) == ("nope",)
    assert unknown(" ".join(f"{{{{{name}}}}}" for name in Placeholder)) == ()


def test_every_placeholder_can_be_written() -> None:
    for name in Placeholder:
        assert expand(f"{{{{{name}}}}}", {name: "v"}) == "'v'"


@requirement("script:blank")
@pytest.mark.parametrize(
    ("script", "blank"),
    [
        ("", True),
        (" \n\t\n", True),
        ("#!/bin/sh\n  # nothing yet\n", True),
        ("# a\ntrue", False),
        (": # b", False),
    ],
)
def test_a_script_of_comments_runs_nothing(script: str, blank: bool) -> None:
    assert is_blank(script) is blank


@requirement("script:output")
@pytest.mark.parametrize("length", [0, 1, OUTPUT_BYTES - 1, OUTPUT_BYTES])
def test_output_within_the_bound_is_kept_whole(length: int) -> None:
    assert keep_tail(b"x" * length) == Output(b"x" * length, 0)


@requirement("script:output")
def test_of_longer_output_the_end_is_kept() -> None:
    assert keep_tail(b"a" + b"x" * OUTPUT_BYTES) == Output(b"x" * OUTPUT_BYTES, 1)
    assert keep_tail(b"first\nlast\n", 5) == Output(b"last\n", 6)


@requirement("script:output")
@pytest.mark.parametrize(("bound", "kept"), [(6, "éf"), (5, "éf"), (3, "éf"), (2, "f"), (1, "f")])
def test_a_character_is_not_kept_in_half(bound: int, kept: str) -> None:
    text = ("\U0001f642" * 2 + "éf").encode()

    assert keep_tail(text, bound).text.decode() == kept


def test_bytes_that_are_no_text_are_kept_to_the_bound() -> None:
    assert len(keep_tail(b"\x80" * 100, 50).text) >= 47
