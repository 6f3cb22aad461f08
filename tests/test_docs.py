"""The texts and the tree hold what they say: links, commands, names, lengths, indexes."""

import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from composition.cli import VERBS
from tests.requirements import REQUIREMENTS

ROOT = Path(__file__).parent.parent
DECISIONS = ROOT / "docs/decisions"
SPECIFICATION = ROOT / "docs/specification"

WRITTEN = {".py", ".sh", ".md", ".toml", ".txt", ".in", ".json", ".css", ".js", ".html", ""}
"""Endings of the files that people write, and of those that they check in."""

REGISTRIES = tuple(
    f"{name}.{domain}"
    for domain, names in {
        "org": ("pypi", "pythonhosted", "npmjs", "proxy.golang"),
        "io": ("crates", "docker", "ghcr", "quay"),
        "com": ("yarnpkg", "rubygems"),
    }.items()
    for name in names
)

VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "misc", "service", "services"}


@cache
def _files() -> tuple[Path, ...]:
    """The tree as it would be checked in: nothing hidden but `.ci`, nothing compiled."""
    found: list[Path] = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            name
            for name in folders
            if (not name.startswith(".") or name == ".ci") and name not in {"__pycache__", "dist"}
        ]
        found.extend(
            Path(folder) / name for name in names if Path(name).suffix in WRITTEN and name != ".git"
        )
    return tuple(sorted(found))


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _pages() -> list[Path]:
    return [path for path in _files() if path.suffix == ".md"]


def _named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def _sections(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as forges make them."""
    prose = re.sub(r"^```.*?^```", "", _text(page), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ +(.+)$", prose, flags=re.MULTILINE)
    return frozenset(
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    )


def _links(page: Path) -> Iterator[tuple[Path, str]]:
    for target in re.findall(r"\]\(([^)\s]+)\)", _text(page)):
        if "://" not in target:
            place, _, section = target.partition("#")
            yield (page.parent / place).resolve() if place else page, section


@pytest.mark.parametrize("page", _pages(), ids=_named)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = [
        f"{target}#{section}"
        for target, section in _links(page)
        if not target.exists() or (section and section not in _sections(target))
    ]

    assert broken == []


def test_every_section_that_a_promise_names_exists() -> None:
    sources = {each.source for each in REQUIREMENTS.values() if each.source.startswith("docs/")}
    pages = {source: source.partition("#") for source in sources}

    missing = [
        source
        for source, (page, _, section) in pages.items()
        if section and section not in _sections(ROOT / page)
    ]

    assert sorted(missing) == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_command_that_is_shown_exists(name: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", _text(ROOT / "Makefile"), flags=re.MULTILINE))
    shown = re.findall(r"```sh\n(.*?)```|`([^`\n]+)`", _text(ROOT / name), flags=re.DOTALL)
    code = "\n".join(block or word for block, word in shown)

    made = {
        word
        for words in re.findall(r"^make ((?:[a-z]+ ?)+)", code, flags=re.MULTILINE)
        for word in words.split()
    }
    verbs = set(re.findall(r"\bkandev ([a-z][a-z-]*)", code))

    assert made - targets == set()
    assert verbs - set(VERBS) == set()


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_of_the_command_line_is_specified(verb: str) -> None:
    told = re.compile(rf"\bkandev {verb}(?![\w-])")

    assert any(told.search(_text(page)) for page in SPECIFICATION.glob("*.md"))


def test_every_adapter_has_its_room_in_the_architecture() -> None:
    rooms = _text(ROOT / "docs/architecture.md")

    missing = [
        path.parent.name
        for path in (ROOT / "adapters").glob("*/__init__.py")
        if f"`adapters/{path.parent.name}/`" not in rooms
    ]

    assert missing == []


def test_no_file_names_a_package_registry_or_a_place_on_somebodys_machine() -> None:
    places = [f"/{folder}/" for folder in ("work", "root", ".pyenv")]

    found = [
        f"{_named(path)}: {word}"
        for path in _files()
        if path != Path(__file__)
        for word in (*REGISTRIES, *places)
        if word in _text(path)
    ]

    assert found == []


def test_no_name_says_nothing() -> None:
    vague = [
        _named(path)
        for path in _files()
        if path.suffix == ".py"
        and VAGUE & {path.stem.removeprefix("test_"), *path.relative_to(ROOT).parts[:-1]}
    ]

    assert vague == []


def test_no_file_is_longer_than_400_lines() -> None:
    long = {
        _named(path): lines
        for path in _files()
        if path.suffix in {".py", ".sh", ".md", ".toml", ".js", ".css", ".html"}
        and path.relative_to(ROOT).parts[0] != "tests"
        and (lines := len(_text(path).splitlines())) > 400
    }

    assert long == {}


def _decisions() -> list[Path]:
    return sorted(DECISIONS.glob("[0-9]*.md"))


def test_the_index_of_decisions_is_complete_and_in_order() -> None:
    rows = re.findall(
        r"^\| \[(\d+)\]\((\S+)\) \| (.+) \|$", _text(DECISIONS / "README.md"), re.MULTILINE
    )
    titles = [
        (number, path.name, re.sub(r"^# \d+\. ", "", _text(path).splitlines()[0]))
        for number, path in enumerate(_decisions(), start=1)
    ]

    assert [(int(number), name, title) for number, name, title in rows] == titles


@pytest.mark.parametrize("page", _decisions(), ids=_named)
def test_a_decision_follows_the_template_on_one_page(page: Path) -> None:
    def shape(text: str) -> list[str]:
        return re.findall(r"^(?:## .+|Status: )", text, flags=re.MULTILINE)

    assert _text(page).startswith(f"# {page.name[:4]}. ")
    assert shape(_text(page)) == shape(_text(DECISIONS / "template.md"))
    assert len(_text(page).splitlines()) <= 60


def test_the_index_of_the_specification_is_complete() -> None:
    pages = {path.name for path in SPECIFICATION.glob("*.md")} - {"README.md"}
    listed = re.findall(r"^- \[.+\]\((\S+)\)$", _text(SPECIFICATION / "README.md"), re.MULTILINE)

    assert sorted(listed) == sorted(pages)


def test_the_pages_name_the_versions_that_are_tried() -> None:
    """What the tests talk to, as locked; a page may leave out the last number."""
    wanted = json.loads(_text(ROOT / "requirements/peers/package.json"))["dependencies"]
    said = _text(SPECIFICATION / "agents.md") + _text(SPECIFICATION / "mcp.md")
    named = {each: (f"{each})", f"({each.rpartition('.')[0]})") for each in wanted.values()}

    assert [each for each, ways in named.items() if not any(way in said for way in ways)] == []
