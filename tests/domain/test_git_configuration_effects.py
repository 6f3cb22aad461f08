"""What an entry does to those before it, checked against git where git can be asked."""

from pathlib import Path

import pytest

from domain import git_config
from domain.git_config import Entry
from domain.git_configuration_effects import Action, Effect, effects
from domain.git_key import Key, Place, place, scope_covers, scopes_meet, split
from tests.git_oracle import isolated, run
from tests.requirements import requirement


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("Core.HooksPath", Key("core", None, "hookspath")),
        ("url.https://H.example/a.b/.insteadOf", Key("url", "https://H.example/a.b/", "insteadof")),
        ("sec..Var", Key("sec", "", "var")),
        (".x.v", Key("", "x", "v")),
    ],
)
def test_a_key_is_split_at_its_first_and_last_dot(key: str, parts: Key) -> None:
    assert split(key) == parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://GitHub.com:443/a/", Place("https", "github.com", "/a")),
        ("https://u:p@h:8443/a", Place("https", "h:8443", "/a")),
        ("HTTP://[::1]:80/x?y", Place("http", "[::1]", "/x")),
        ("ssh://git@h:22/a", Place("ssh", "h", "/a")),
        ("git@github.com:acme/w", Place("ssh", "github.com", "acme/w")),
        ("[::1]:a", Place("ssh", "[::1]", "a")),
        ("gh:", Place("ssh", "gh", "")),
        ("/srv/git", Place("file", "", "/srv/git")),
        ("./a:b", Place("file", "", "./a:b")),
        ("https://", Place("https", "", "")),
        ("", Place("file", "", "")),
    ],
)
def test_an_address_is_read_as_git_reads_it(text: str, expected: Place) -> None:
    assert place(text) == expected


@pytest.mark.parametrize(
    ("wide", "narrow", "covers", "meets"),
    [
        (None, "https://h", True, True),
        ("https://h", None, False, True),
        ("https://H:443/", "https://h/a", True, True),
        ("https://h/a", "https://h/ab", False, False),
        ("https://h/a/b", "https://h/a", False, True),
        ("https://h", "http://h", False, False),
        ("https://h", "https://h:8443", False, False),
        ("https://*.example", "https://h.example", False, True),
        ("h", "https://other", False, True),
        ("h", "h", True, True),
    ],
)
def test_scopes_are_compared_as_urls(
    wide: str | None, narrow: str | None, covers: bool, meets: bool
) -> None:
    assert scope_covers(wide, narrow) is covers
    assert scopes_meet(wide, narrow) is scopes_meet(narrow, wide) is meets


@requirement("git-config:explain:effects")
@pytest.mark.parametrize(
    ("entries", "last"),
    [
        ([("core.hooksPath", "/a")], Effect(Action.SETS)),
        ([("core.hooksPath", "/a"), ("Core.HOOKSPATH", "/b")], Effect(Action.OVERRIDES, (0,))),
        ([("t.Sub.v", "a"), ("t.sub.v", "b")], Effect(Action.SETS)),
        ([("credential.helper", "a"), ("credential.helper", "b")], Effect(Action.ADDS)),
        (
            [
                ("credential.helper", "a"),
                ("credential.https://other.helper", "b"),
                ("credential.https://h/acme.helper", "c"),
                ("credential.https://H:443.helper", ""),
            ],
            Effect(Action.RESETS, (0, 2)),
        ),
        (
            [("credential.https://h.useHttpPath", "true"), ("credential.useHttpPath", "false")],
            Effect(Action.OVERRIDES, (0,)),
        ),
        ([("http.https://h.proxy", "a"), ("http.proxy", "b")], Effect(Action.SETS)),
        ([("http.proxy", "a"), ("http.https://h.proxy", "b")], Effect(Action.OVERRIDES, (0,))),
        ([("http.extraHeader", "A: b"), ("http.extraHeader", "")], Effect(Action.RESETS, (0,))),
        ([("safe.directory", "*"), ("safe.directory", "")], Effect(Action.RESETS, (0,))),
        ([("remote.o.fetch", "a"), ("remote.o.fetch", "")], Effect(Action.ADDS)),
        ([("include.path", "/a"), ("includeIf.gitdir:/.path", "/b")], Effect(Action.INCLUDES)),
    ],
)
def test_an_entry_says_what_it_does_to_earlier_ones(
    entries: list[tuple[str, str]], last: Effect
) -> None:
    assert effects([Entry(*entry) for entry in entries])[-1] == last


@requirement("git-config:explain:rewrites")
@pytest.mark.parametrize(
    ("base", "prefix", "action"),
    [
        ("git@github.com:", "https://github.com/", Action.REWRITES_TO_SSH),
        ("ssh://git@github.com/", "https://", Action.REWRITES_TO_SSH),
        ("ssh://git@github.com/", "", Action.REWRITES_TO_SSH),
        ("https://mirror.example/", "https://github.com/", Action.REWRITES_HOST),
        ("https://mirror.example/", "", Action.REWRITES_HOST),
        ("/srv/mirror/", "https://github.com/", Action.REWRITES_HOST),
        ("http://github.com/", "https://github.com/", Action.REWRITES_SCHEME),
        ("https://github.com/", "git@github.com:", Action.REWRITES_SCHEME),
        ("https://github.com/acme/", "https://GitHub.com:443/old/", Action.REWRITES),
    ],
)
@pytest.mark.parametrize("variable", ["insteadOf", "pushInsteadOf"])
def test_a_rewrite_is_named_by_where_it_leads(
    base: str, prefix: str, action: Action, variable: str
) -> None:
    assert effects([Entry(f"url.{base}.{variable}", prefix)]) == (Effect(action),)


@requirement("git-config:explain:effects")
@pytest.mark.parametrize(
    "scopes",
    [
        ("", "https://h"),
        ("https://h", ""),
        ("https://h", "https://h:443/"),
        ("https://h/a", "https://h"),
        ("https://h", "https://h/a"),
        ("https://other", "https://h"),
        ("http://h", "https://h"),
    ],
)
def test_git_asks_no_helper_that_we_say_is_reset(tmp_path: Path, scopes: tuple[str, str]) -> None:
    helper, reset = (f"credential.{scope}{'.' if scope else ''}helper" for scope in scopes)
    entries = [Entry(helper, "!echo username=u; echo password=p; :"), Entry(reset, "")]
    environment = isolated(tmp_path) | git_config.serialize(entries)
    question = "protocol=https\nhost=h\npath=a/b.git\n\n"

    asked = run(["git", "credential", "fill"], tmp_path, environment, question).exit == 0

    assert not (asked and effects(entries)[1].positions)


@requirement("git-config:explain:effects")
@pytest.mark.parametrize("later", ["http.proxy", "http.https://h.proxy", "http.https://h/a.proxy"])
@pytest.mark.parametrize(
    "earlier", ["http.proxy", "http.https://h.proxy", "http.https://h/a.proxy"]
)
def test_git_lets_the_setting_win_that_we_say_overrides(
    tmp_path: Path, earlier: str, later: str
) -> None:
    entries = [Entry(earlier, "earlier"), Entry(later, "later")]
    environment = isolated(tmp_path) | git_config.serialize(entries)
    command = ["git", "config", "--get-urlmatch", "http.proxy", "https://h/a/b"]

    won = run(command, tmp_path, environment).stdout == b"later\n"

    assert won == (effects(entries)[1].action is Action.OVERRIDES)
