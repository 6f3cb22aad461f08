"""What became of each helper, from the configuration and the commands that git ran."""

import pytest

from domain import managed_git
from domain.credential_doctor import (
    Examined,
    Fate,
    Setting,
    Verdict,
    command,
    diagnose,
)
from domain.git_config import Entry
from domain.identity import RepositoryId
from domain.managed_git import HELPER_NAME, ManagedHost
from domain.repository import RepositoryIdentity
from tests.requirements import requirement

EXAMINED = Examined(RepositoryId("r"), RepositoryIdentity("forge.example", "/acme/app"), "")
HELPER = f"/tools/{HELPER_NAME}"
OURS = f"'{HELPER}'"


def user(value: str, key: str = "credential.helper") -> Setting:
    return Setting("global", "file:/home/u/.gitconfig", Entry(key, value))


MANAGED = tuple(
    Setting("command", "command line:", entry)
    for entry in managed_git.entries([ManagedHost("forge.example")], HELPER)
)


def fates(
    settings: tuple[Setting, ...], ran: list[str], answered: bool = True
) -> list[tuple[str, Fate]]:
    found = diagnose(EXAMINED, settings, ran, answered=answered)
    return [(each.name, each.fate) for each in found.helpers]


@requirement("doctor:chain")
def test_helpers_before_the_reset_are_skipped_and_ours_answers() -> None:
    settings = (user("store"), user("cache --timeout=9"), *MANAGED)

    assert fates(settings, [OURS]) == [
        ("store", Fate.RESET),
        ("cache", Fate.RESET),
        (HELPER_NAME, Fate.ANSWERED),
        ("stop", Fate.NOT_REACHED),
    ]
    assert diagnose(EXAMINED, settings, [OURS], answered=True).verdict is Verdict.MANAGED


@requirement("doctor:verdict")
def test_a_managed_helper_that_fails_is_no_missing_credential_of_the_executor() -> None:
    failed = diagnose(EXAMINED, MANAGED, [OURS, "echo quit=1; :"], answered=False)
    missing = diagnose(EXAMINED, (user("store"),), ["git credential-store"], answered=False)

    assert (failed.managed, failed.verdict) == (True, Verdict.MANAGED_FAILED)
    assert (missing.managed, missing.verdict) == (False, Verdict.MISSING)
    assert [each.fate for each in failed.helpers] == [Fate.SILENT, Fate.SILENT]


@requirement("doctor:chain")
def test_a_helper_of_the_users_that_answers_is_told_as_one() -> None:
    settings = (
        user("store", "credential.https://other.example.helper"),
        user("store"),
        user("osxkeychain"),
    )
    ran = ["git credential-store", "git credential-osxkeychain"]

    assert fates(settings, ran) == [
        ("store", Fate.ELSEWHERE),
        ("store", Fate.SILENT),
        ("osxkeychain", Fate.ANSWERED),
    ]
    assert diagnose(EXAMINED, settings, ran, answered=True).verdict is Verdict.OTHER


@requirement("doctor:verdict")
def test_a_helper_that_was_put_behind_ours_is_told_when_it_answers() -> None:
    settings = (*MANAGED, user(""), user("evil"))
    found = diagnose(EXAMINED, settings, ["git credential-evil"], answered=True)

    assert (found.managed, found.verdict) == (True, Verdict.OTHER)
    assert found.helpers[0].fate is Fate.RESET


@requirement("doctor:no-value")
@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("!f() { echo password=hunter2; }; f", "a shell snippet"),
        ("store --file=/home/u/hunter2", "store"),
        ("/opt/helper --token=hunter2", "/opt/helper"),
    ],
)
def test_a_helper_is_named_without_what_it_is_given(value: str, name: str) -> None:
    assert fates((user(value),), [command(value)]) == [(name, Fate.ANSWERED)]


@requirement("doctor:verdict")
def test_nothing_configured_is_a_missing_credential() -> None:
    found = diagnose(EXAMINED, (), [], answered=False)

    assert (found.verdict, found.helpers) == (Verdict.MISSING, ())
