"""What the explanation prints of an entry, and what it masks."""

import pytest

from domain import managed_git
from domain.environment import EntryOrigin
from domain.git_config import Entry
from domain.git_configuration_display import ShownOrigin, shown
from domain.managed_git import ManagedHost
from domain.redaction import MASK, Redactor
from domain.secret import Secret
from tests.requirements import requirement

REGISTERED = "correct-horse-battery"


def show(key: str, value: str, *, secret: bool = False) -> ShownOrigin:
    redactor = Redactor()
    redactor.register(Secret(REGISTERED))
    return shown(EntryOrigin(Entry(key, value), "host", secret), redactor)


@requirement("git-config:explain:masked")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("http.extraHeader", "X-Anything: hunter2"),
        ("http.https://h/.extraheader", "Authorization: Basic aHVudGVyMg=="),
        ("github.token", "hunter2"),
        ("sendemail.smtpPass", "hunter2"),
        ("my.apiKey", "hunter2"),
        ("credential.helper", "!f() { echo password=hunter2; }; f"),
        ("alias.up", "!curl -H 'X-Key: hunter2'"),
    ],
)
def test_a_telling_variable_and_a_shell_snippet_are_masked_whole(key: str, value: str) -> None:
    assert show(key, value) == ShownOrigin(key, MASK, "host")


@requirement("git-config:explain:masked")
@pytest.mark.parametrize(
    ("key", "value", "shown_key", "shown_value"),
    [
        (
            "url.https://u:hunter2@h.example/.insteadOf",
            "https://h.example/",
            f"url.https://{MASK}@h.example/.insteadOf",
            "https://h.example/",
        ),
        (
            "http.proxy",
            "http://u:hunter2@proxy:3128",
            "http.proxy",
            f"http://{MASK}@proxy:3128",
        ),
        ("a.b", f"x {REGISTERED} y", "a.b", f"x {MASK} y"),
        (f"a.{REGISTERED}.b", "1", f"a.{MASK}.b", "1"),
    ],
)
def test_what_has_the_shape_of_a_secret_is_masked_where_it_stands(
    key: str, value: str, shown_key: str, shown_value: str
) -> None:
    assert show(key, value) == ShownOrigin(shown_key, shown_value, "host")


@requirement("git-config:explain:masked")
def test_a_value_that_came_from_a_secret_is_masked_whatever_it_is() -> None:
    assert show("core.editor", "vi", secret=True) == ShownOrigin("core.editor", MASK, "host")


@requirement("git-config:explain:masked")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.hooksPath", "/hooks"),
        ("core.askPass", "/usr/bin/askpass"),
        ("http.cookieFile", "/home/u/cookies"),
        ("http.extraHeader", ""),
        ("credential.helper", "store"),
        ("safe.directory", "/work"),
    ],
)
def test_what_cannot_hold_a_secret_is_shown_as_it_is(key: str, value: str) -> None:
    assert show(key, value) == ShownOrigin(key, value, "host")


def test_the_managed_entries_are_shown_as_they_are() -> None:
    for entry in managed_git.entries([ManagedHost("h", "/ca")], "/a b/git-credential-kandev"):
        assert show(*entry) == ShownOrigin(entry.key, entry.value, "host")


def test_bytes_that_are_no_text_are_shown_by_their_number() -> None:
    assert show("a.\udce4.b", "x\udcffy") == ShownOrigin("a.\\xe4.b", "x\\xffy", "host")
