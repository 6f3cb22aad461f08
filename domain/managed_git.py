"""The entries that make git ask the managed helper: added last, recognised again by what they are.

For each managed host, in this order: the path belongs to the question, the authority that signs a
private forge, an empty helper that clears every helper read so far (gitcredentials(7)), our helper,
and a sentinel that tells git to quit when ours could not be started (`quit`, git-credential(1)).
All are scoped to the host: other hosts keep whatever helper and certificates the user has.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.git_config import Entry

__all__ = (
    "CERTIFICATES",
    "HELPER_NAME",
    "REMOVES",
    "ManagedHost",
    "certificates",
    "entries",
    "hosts",
    "is_managed",
    "taken",
    "tools",
    "variables",
    "without_managed",
)

HELPER_NAME = "git-credential-kandev"

REMOVES = frozenset({"GIT_CONFIG_PARAMETERS"})
"""What managed access takes from lower layers: git reads it after the list and could undo it."""

CERTIFICATES = "GIT_SSL_CAINFO"
"""The variable of a certificate bundle. Git prefers it to every `http.<url>.sslCAInfo`."""

_CERTIFICATES_KEY = "http.sslCAInfo"
_EXPANDED = ("~", "%(prefix)/")
_SENTINEL = "!echo quit=1; :"
_HELPER_KEY = re.compile(r"credential\.https://(.+)\.helper", re.DOTALL)
_HELPER_VALUE = re.compile(rf"!'/(?:[^']|'\\'')*/{re.escape(HELPER_NAME)}'", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ManagedHost:
    """A forge that is reached with a lease: host in lower case with any port that is not 443.

    `certificate_authority` is the absolute path of the file that signs a private forge.
    """

    host: str
    certificate_authority: str | None = None


def entries(
    hosts: Sequence[ManagedHost], helper: str, bundle: str | None = None
) -> tuple[Entry, ...]:
    """The managed list for the hosts, in their order, each once.

    `helper` is an absolute path that ends in `HELPER_NAME`; it may hold blanks and quotes. `bundle`
    is the value of `CERTIFICATES` that lower layers agree on. Where a host has an authority of its
    own, the variable is `taken` and its value stands as an entry, which holds for other hosts only.
    """
    if not helper.startswith("/") or not helper.endswith(f"/{HELPER_NAME}"):
        raise ValueError("the helper is an absolute path that ends in its name")
    command = f"!{_quoted(helper)}"
    return tuple(entry for host in dict.fromkeys(hosts) for entry in _group(host, command, bundle))


def taken(hosts: Sequence[ManagedHost]) -> frozenset[str]:
    """The names that the entries for these hosts cannot do without taking from lower layers."""
    private = any(host.certificate_authority is not None for host in hosts)
    return REMOVES | {CERTIFICATES} if private else REMOVES


def variables() -> dict[str, str]:
    """What goes with the entries: no terminal prompt, and no askpass program.

    Git takes an empty `GIT_ASKPASS` for none, and looks no further (`core.askPass`, `SSH_ASKPASS`).
    """
    return {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": ""}


def hosts(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The hosts that the list sends to our helper, in order, each once."""
    return tuple(dict.fromkeys(host for entry in entries if (host := _managed_host(entry))))


def tools(entries: Sequence[Entry]) -> frozenset[str]:
    """The directories that our helper is called in."""
    ours = (entry.value for entry in entries if _managed_host(entry) is not None)
    return frozenset(_unquoted(value.removeprefix("!")).rpartition("/")[0] for value in ours)


def is_managed(entry: Entry) -> bool:
    """Whether an entry by itself is ours: the helper or the sentinel of some host."""
    return _managed_host(entry) is not None or _is_sentinel(entry)


def without_managed(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The list less exactly what `entries` adds, for any hosts and any helper path.

    Our helper is known by its command and the sentinel by its text. The reset is the empty helper
    that comes before ours with no other helper of the host between; a reset before a helper of the
    user's is the user's. Path, bundle and authority are ours where they lead up to our reset. A
    list that already ended as ours begins shares those entries with it (`compose`) and loses them
    with it.
    """
    ours: set[int] = set()
    for index, entry in enumerate(entries):
        host = _managed_host(entry)
        if host is not None:
            ours.update((index, *_leading_to(entries, index, host)))
        elif _is_sentinel(entry):
            ours.add(index)
    return tuple(entry for index, entry in enumerate(entries) if index not in ours)


def certificates(entries: Sequence[Entry]) -> str | None:
    """The value of `CERTIFICATES` that stands in the list as an entry of ours."""
    for index, entry in enumerate(entries):
        host = _managed_host(entry)
        for position in _leading_to(entries, index, host) if host is not None else ():
            if entries[position].key == _CERTIFICATES_KEY:
                return _as_variable(entries[position].value)
    return None


def _group(host: ManagedHost, command: str, bundle: str | None) -> Iterator[Entry]:
    yield _path_in_question(host.host)
    if host.certificate_authority is not None:
        if bundle is not None:
            yield Entry(_CERTIFICATES_KEY, _as_value(bundle))
        yield Entry(_authority_key(host.host), host.certificate_authority)
    for value in ("", command, _SENTINEL):
        yield Entry(f"credential.https://{host.host}.helper", value)


def _path_in_question(host: str) -> Entry:
    return Entry(f"credential.https://{host}.useHttpPath", "true")


def _authority_key(host: str) -> str:
    return f"http.https://{host}.sslCAInfo"


def _leading_to(entries: Sequence[Entry], helper: int, host: str) -> Iterator[int]:
    """The positions before our helper that its group filled: reset, authority, path."""
    key = entries[helper].key
    earlier = (index for index in range(helper - 1, -1, -1) if entries[index].key == key)
    reset = next(earlier, None)
    if reset is None or entries[reset].value:
        return
    yield reset
    before = reset - 1
    if before > 0 and entries[before].key == _authority_key(host):
        before -= 1
        if before > 0 and entries[before].key == _CERTIFICATES_KEY:
            before -= 1
    if before >= 0 and entries[before] == _path_in_question(host):
        yield from range(before, reset)


def _as_value(path: str) -> str:
    """A path that git takes from its configuration as it takes it from a variable: unexpanded."""
    return f"./{path}" if path.startswith(_EXPANDED) else path


def _as_variable(value: str) -> str:
    path = value.removeprefix("./")
    return path if path.startswith(_EXPANDED) else value


def _quoted(path: str) -> str:
    """One word of POSIX sh, always in single quotes, whatever the path holds."""
    return "'" + path.replace("'", "'\\''") + "'"


def _unquoted(word: str) -> str:
    return word[1:-1].replace("'\\''", "'")


def _managed_host(entry: Entry) -> str | None:
    key = _HELPER_KEY.fullmatch(entry.key)
    return key[1] if key and _HELPER_VALUE.fullmatch(entry.value) else None


def _is_sentinel(entry: Entry) -> bool:
    return entry.value == _SENTINEL and _HELPER_KEY.fullmatch(entry.key) is not None
