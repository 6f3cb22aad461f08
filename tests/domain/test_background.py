"""Which commands a shell is given, and where they may start."""

import pytest

from domain.background import MAX_COMMAND_BYTES, check_command, check_folder
from domain.outcome import failed
from tests.requirements import requirement


@requirement("background:start:refused")
@pytest.mark.parametrize(
    ("command", "refused"),
    [
        ("make", False),
        ("", True),
        (" \n", True),
        ("a\0b", True),
        ("é" * (MAX_COMMAND_BYTES // 2), False),
        ("é" * (MAX_COMMAND_BYTES // 2) + "x", True),
    ],
)
def test_a_command_has_words_and_a_bound(command: str, refused: bool) -> None:
    assert failed(check_command(command)) == refused


@requirement("background:start:refused")
@pytest.mark.parametrize(
    ("folder", "refused"),
    [
        ("", False),
        ("web/client", False),
        ("..name", False),
        ("/etc", True),
        ("..", True),
        ("web/../..", True),
        ("web//client", True),
        ("./web", True),
        ("we\0b", True),
    ],
)
def test_a_folder_lies_below_the_workspace(folder: str, refused: bool) -> None:
    assert failed(check_folder(folder)) == refused
