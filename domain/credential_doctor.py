"""What git's own chain of credential helpers did for one repository, told without a value.

Git was really asked. Which helpers it ran is known from its trace; why the others did not run
follows from the configuration that it read (gitcredentials(7)).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from domain import managed_git
from domain.git_config import Entry
from domain.git_key import scope_covers, split
from domain.identity import RepositoryId
from domain.repository import RepositoryIdentity

__all__ = (
    "Diagnosis",
    "Examined",
    "Fate",
    "HelperSeen",
    "Setting",
    "Verdict",
    "command",
    "diagnose",
)


@dataclass(frozen=True, slots=True)
class Examined:
    """A repository to look at, and the folder of its checkout below the session's workspace."""

    repository: RepositoryId
    identity: RepositoryIdentity
    folder: str


@dataclass(frozen=True, slots=True)
class Setting:
    """An entry that git read, with the scope and the origin that git names."""

    scope: str
    origin: str
    entry: Entry


class Fate(StrEnum):
    """What became of a helper, or why it was skipped."""

    ANSWERED = "answered"
    SILENT = "gave_no_credential"
    RESET = "reset_by_a_later_entry"
    ELSEWHERE = "for_another_url"
    NOT_REACHED = "not_reached"


class Verdict(StrEnum):
    """Who answered; the last two are what a person must act on."""

    MANAGED = "managed_helper"
    OTHER = "another_helper"
    MANAGED_FAILED = "managed_helper_failed"
    MISSING = "executor_credential_missing"


@dataclass(frozen=True, slots=True)
class HelperSeen:
    """A helper by a name that shows no argument and no snippet of it."""

    name: str
    scope: str
    origin: str
    fate: Fate


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`managed` is whether git was told to ask the managed helper for this host."""

    repository: RepositoryId
    host: str
    path: str
    managed: bool
    verdict: Verdict
    helpers: tuple[HelperSeen, ...]


def command(helper: str) -> str:
    """What git has a shell run for a configured helper, before the action (credential.c)."""
    if helper.startswith("!"):
        return helper[1:]
    return helper if helper.startswith("/") else f"git credential-{helper}"


def diagnose(
    examined: Examined, settings: Sequence[Setting], ran: Sequence[str], *, answered: bool
) -> Diagnosis:
    """`ran` are the commands that git ran, in order; `answered` whether it got a password."""
    identity = examined.identity
    url = f"https://{identity.host}{identity.path}"
    helpers = [each for each in settings if _is_helper(each.entry)]
    entries = [each.entry for each in helpers if _applies(each.entry, url)]
    managed = identity.host in managed_git.hosts(entries)
    last = ran[-1] if answered and ran else None
    ours = any(managed_git.is_managed(each) and command(each.value) == last for each in entries)
    if last is not None:
        verdict = Verdict.MANAGED if ours else Verdict.OTHER
    else:
        verdict = Verdict.MANAGED_FAILED if managed else Verdict.MISSING
    return Diagnosis(
        examined.repository,
        identity.host,
        identity.path,
        managed,
        verdict,
        tuple(_seen(helpers, url, ran, last)),
    )


def _seen(
    helpers: Sequence[Setting], url: str, ran: Sequence[str], last: str | None
) -> Iterator[HelperSeen]:
    resets = [
        position
        for position, each in enumerate(helpers)
        if not each.entry.value and _applies(each.entry, url)
    ]
    first = resets[-1] if resets else -1
    for position, each in enumerate(helpers):
        if each.entry.value:
            fate = _fate(each.entry, url, ran, last, reset=position < first)
            yield HelperSeen(_name(each.entry), each.scope, each.origin, fate)


def _fate(entry: Entry, url: str, ran: Sequence[str], last: str | None, *, reset: bool) -> Fate:
    if not _applies(entry, url):
        return Fate.ELSEWHERE
    if reset:
        return Fate.RESET
    called = command(entry.value)
    if called == last:
        return Fate.ANSWERED
    return Fate.SILENT if called in ran else Fate.NOT_REACHED


def _is_helper(entry: Entry) -> bool:
    key = split(entry.key)
    return (key.section, key.variable) == ("credential", "helper")


def _applies(entry: Entry, url: str) -> bool:
    return scope_covers(split(entry.key).subsection, url)


def _name(entry: Entry) -> str:
    if managed_git.hosts([entry]):
        return managed_git.HELPER_NAME
    if managed_git.is_managed(entry):
        return "stop"
    if entry.value.startswith("!"):
        return "a shell snippet"
    return entry.value.split()[0] if entry.value.split() else "blank"
