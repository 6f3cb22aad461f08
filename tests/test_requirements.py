"""Every promise has a test that wears it, and every source of a promise exists."""

import ast
from pathlib import Path

from tests.requirements import REQUIREMENTS

TESTS = Path(__file__).parent
ROOT = TESTS.parent


def _worn() -> set[str]:
    worn: set[str] = set()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            match node:
                case ast.Call(
                    func=ast.Name(id="requirement"), args=[ast.Constant(value=str(name))]
                ):
                    worn.add(name)
                case _:
                    pass
    return worn


def test_every_promise_is_shown_by_a_test() -> None:
    assert sorted(set(REQUIREMENTS) - _worn()) == []


def test_no_test_wears_an_unknown_promise() -> None:
    assert sorted(_worn() - set(REQUIREMENTS)) == []


def test_every_source_in_the_specification_exists() -> None:
    pages = {
        requirement.source.split("#")[0]
        for requirement in REQUIREMENTS.values()
        if requirement.source.startswith("docs/")
    }

    assert [page for page in sorted(pages) if not (ROOT / page).is_file()] == []
