"""The start-up file of a shell, named by variables."""

import pytest

from domain.shell_start import expanded
from tests.requirements import requirement

VALUES = {"HOME": "/home/a", "HOOKS": "/it's $HOME", "EMPTY": ""}


@requirement("broker:tools:shell")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/etc/start.sh", "/etc/start.sh"),
        ("$HOME/start.sh", "/home/a/start.sh"),
        ("${HOME}/start.sh", "/home/a/start.sh"),
        ("$HOOKS/start.sh", "/it's $HOME/start.sh"),
        ("$UNSET/start.sh", "/start.sh"),
        ("$EMPTY", ""),
        ("$(printf /x)", "$(printf /x)"),
        ("${HOME:-/x}", "${HOME:-/x}"),
        ("a$1b", "a$1b"),
        ("${}", "${}"),
        ("${HOME", "${HOME"),
        ("$", "$"),
        ("`id`", "`id`"),
    ],
)
def test_plain_variables_are_expanded_once_and_nothing_else(text: str, expected: str) -> None:
    assert expanded(text, VALUES.get) == expected
