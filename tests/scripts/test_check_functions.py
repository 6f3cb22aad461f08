"""Functions are held to 80 lines and five blocks deep, at the bound and one past it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.check_functions import MAX_LINES, MAX_NESTING, main

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str) -> str:
        (tmp_path / "module.py").write_text(text, encoding="utf-8")
        return str(tmp_path)

    return written


def _long(lines: int) -> str:
    return "def long():\n" + "    pass\n" * (lines - 1)


def _deep(blocks: int, opening: str = "if True:") -> str:
    body = "".join(f"{'    ' * (depth + 1)}{opening}\n" for depth in range(blocks))
    return f"async def deep():\n{body}{'    ' * (blocks + 1)}pass\n"


@pytest.mark.parametrize(
    "text",
    [
        _long(MAX_LINES),
        _deep(MAX_NESTING),
        "def chain(x):\n    if x == 0:\n        pass\n"
        + "".join(f"    elif x == {number}:\n        pass\n" for number in range(1, 9)),
        "def outer():\n" + "".join(f"    {line}\n" for line in _deep(MAX_NESTING).splitlines()),
    ],
)
def test_what_is_within_the_bounds_passes(text: str, write: Write) -> None:
    assert main([write(text)]) == 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (_long(MAX_LINES + 1), "module.py:1: long has 81 lines (at most 80)"),
        (_deep(MAX_NESTING + 1), "module.py:1: deep nests 6 deep (at most 5)"),
        (_deep(MAX_NESTING + 1, "with a, b:"), "deep nests 6 deep"),
        (_deep(MAX_NESTING + 1, "for a in b:"), "deep nests 6 deep"),
        ("class C:\n    " + _deep(6).replace("\n", "\n    "), "module.py:2: deep nests 6 deep"),
    ],
)
def test_what_is_past_a_bound_is_named(
    text: str, complaint: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([write(text)]) == 1
    assert complaint in capsys.readouterr().err


def test_match_and_try_are_blocks_too(write: Write) -> None:
    text = (
        "def deep(x):\n"
        "    for a in x:\n"
        "        while a:\n"
        "            try:\n"
        "                with a:\n"
        "                    match a:\n"
        "                        case 1:\n"
        "                            if a:\n"
        "                                pass\n"
        "            finally:\n"
        "                pass\n"
    )

    assert main([write(text)]) == 1


def test_the_tree_that_is_checked_is_what_is_named(write: Write, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "fine.py").write_text(_long(2), encoding="utf-8")
    write(_long(MAX_LINES + 1))

    assert main([str(inner)]) == 0
    assert main([str(tmp_path)]) == 1
