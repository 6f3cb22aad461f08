"""The installed git judges: what it accepts we accept, and our block means to it what theirs did."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import git_config
from domain.git_config import Entry
from domain.outcome import failed
from tests.git_oracle import Answer, isolated, listing, run
from tests.requirements import requirement

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "git_config.json").read_bytes())
REFUSED = [vector for vector in VECTORS if "refused" in vector]
ACCEPTED = [vector for vector in VECTORS if "refused" not in vector]
OCTAL_IN_THE_SHELL = "child-append-shell-octal"

Vector = dict[str, Any]


def named(vector: Vector) -> str:
    return str(vector["name"])


def variables(vector: Vector, root: Path) -> dict[str, str]:
    """The vector's overlay on an isolated environment: null takes a name away."""
    environment = isolated(root / "home")
    for name, value in vector["env"].items():
        match value:
            case None:
                environment.pop(name, None)
            case {"repeat": [before, unit, times, after]}:
                environment[name] = before + unit * times + after
            case _:
                environment[name] = value.replace("{ROOT}", str(root))
    return environment


def ours(environment: dict[str, str]) -> dict[str, str]:
    scalars = {
        name: value for name, value in environment.items() if not git_config.is_indexed(name)
    }
    return scalars | git_config.serialize(git_config.parse(environment).unwrap())


def scene(vector: Vector, root: Path) -> Path:
    """A scratch folder with a repository, as the vector wants it; the folder to run in."""
    for name in ("bin", "home", "norepo", "repo"):
        (root / name).mkdir(parents=True)
    quiet = isolated(root / "home")
    run(["git", "init", "-q", "-b", "main"], root / "repo", quiet)
    for name, text in vector.get("files", {}).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    folder = root / str(vector.get("folder", "repo"))
    for line in vector.get("before", ()):
        run(["sh", "-c", line.replace("{ROOT}", str(root))], folder, quiet)
    return folder


def answer(vector: Vector, root: Path, *, composed: bool) -> Answer:
    folder = scene(vector, root)
    environment = variables(vector, root)
    command = [part.replace("{ROOT}", str(root)) for part in vector["command"]]
    done = run(
        command, folder, ours(environment) if composed else environment, vector.get("stdin", "")
    )
    return Answer(done.exit, done.stdout.replace(str(root).encode(), b"{ROOT}"))


@requirement("git-config:parse:refused")
@pytest.mark.parametrize("vector", REFUSED, ids=named)
def test_what_git_refuses_is_refused_by_name(vector: Vector, tmp_path: Path) -> None:
    environment = variables(vector, tmp_path)
    tmp_path.joinpath("home").mkdir()

    outcome = git_config.parse(environment)

    assert failed(outcome)
    problem = outcome.failure()
    assert [problem.variable, problem.index, problem.reason] == vector["refused"]
    assert listing(tmp_path, environment).exit == 128


@requirement("git-config:parse:accepted")
@pytest.mark.parametrize("vector", ACCEPTED, ids=named)
def test_git_does_the_same_under_our_block(vector: Vector, tmp_path: Path) -> None:
    theirs = answer(vector, tmp_path / "theirs", composed=False)
    composed = answer(vector, tmp_path / "ours", composed=True)

    if vector["name"] == OCTAL_IN_THE_SHELL:
        assert theirs.stdout.startswith(b"9\n")
        assert composed.stdout.startswith(b"11\n")
    else:
        assert composed == theirs


@requirement("git-config:parse:accepted")
@pytest.mark.parametrize("vector", ACCEPTED, ids=named)
def test_git_lists_the_same_under_our_block(vector: Vector, tmp_path: Path) -> None:
    folder = scene(vector, tmp_path)
    environment = variables(vector, tmp_path)
    command = ["git", "config", "--list", "-z"]

    assert run(command, folder, ours(environment)) == run(command, folder, environment)


counts = st.one_of(
    st.text(" \t\n\v\f\r+-0123456789xa_٢²", max_size=6),
    st.integers(-3, 4).map(str),
    st.sampled_from((2**31 - 1, 2**31, 2**32 + 1, 2**64 - 1, 2**64, 2**64 + 2)).map(str),
    st.integers(0, 3).map(lambda number: f"-{2**64 - number}"),
    st.builds(
        lambda zeros, number: "0" * zeros + str(number), st.integers(0, 99), st.integers(0, 3)
    ),
)
keys = st.one_of(
    st.text("aB9-_. \n\r=\udcffü/:*", max_size=8),
    st.sampled_from(("t.v", "T.Sub.V", ".x.v", "a..b", "include.path", "INCLUDE.Path", "t.1v")),
    st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=6),
)
values = st.one_of(
    st.just(""),
    st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8),
    st.text("\udc80\udcff a\n\"'\\#;=", max_size=8),
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("empty")


@requirement("git-config:parse:verdict")
@settings(max_examples=150)
@given(counts)
def test_the_verdict_on_any_count_is_gits(empty: Path, count: str) -> None:
    block = {"GIT_CONFIG_COUNT": count}
    for index in range(5):
        block |= {f"GIT_CONFIG_KEY_{index}": "t.v", f"GIT_CONFIG_VALUE_{index}": str(index)}

    judged = listing(empty, block)
    outcome = git_config.parse(block)

    assert failed(outcome) == (judged.exit == 128)
    if not failed(outcome):
        assert listing(empty, git_config.serialize(outcome.unwrap())) == judged


@requirement("git-config:parse:verdict")
@settings(max_examples=200)
@given(st.lists(st.builds(Entry, keys, values), min_size=1, max_size=3))
def test_the_verdict_on_any_pairs_is_gits(empty: Path, entries: list[Entry]) -> None:
    block = git_config.serialize(entries)

    judged = listing(empty, block)
    outcome = git_config.parse(block)

    assert failed(outcome) == (judged.exit == 128)


@requirement("git-config:parse:verdict")
@settings(max_examples=75)
@given(st.integers(0, 4), st.sets(st.integers(0, 7)))
def test_the_verdict_on_absent_names_is_gits(empty: Path, count: int, absent: set[int]) -> None:
    block = {"GIT_CONFIG_COUNT": str(count)}
    for index in range(4):
        block |= {f"GIT_CONFIG_KEY_{index}": "t.v", f"GIT_CONFIG_VALUE_{index}": "x"}
    for name in absent:
        del block[f"GIT_CONFIG_{'KEY' if name % 2 else 'VALUE'}_{name // 2}"]

    assert failed(git_config.parse(block)) == (listing(empty, block).exit == 128)


@requirement("git-config:bounds:hook")
def test_a_hook_still_starts_under_the_largest_block(tmp_path: Path) -> None:
    room = git_config.MAX_BYTES - git_config.size([Entry("t.v", "")] * git_config.MAX_ENTRIES)
    share, rest = divmod(room, git_config.MAX_ENTRIES)
    entries = [Entry("t.v", "x" * share)] * (git_config.MAX_ENTRIES - 1)
    entries.append(Entry("t.v", "x" * (share + rest)))
    block = git_config.serialize(entries)
    quiet = isolated(tmp_path)
    run(["git", "init", "-q", "-b", "main"], tmp_path, quiet)
    hook = tmp_path / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\necho ran > marker\n")
    hook.chmod(0o755)

    done = run(["git", "commit", "-q", "--allow-empty", "-m", "m"], tmp_path, quiet | block)

    assert git_config.size(entries) == git_config.MAX_BYTES
    assert done.exit == 0
    assert (tmp_path / "marker").read_text() == "ran\n"
