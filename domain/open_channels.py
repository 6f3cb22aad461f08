"""The ways around managed access that an environment leaves open, found by looking at it.

A helper is one of the ways by which git may come to a credential: libcurl reads `.netrc` before any
helper, a header is sent whatever the helper says, an SSH remote never asks one. A channel names
where it was found, by position or by name, and never what it holds.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from domain import managed_git
from domain.ambient_credentials import AMBIENT_TOKENS
from domain.git_config import Entry
from domain.git_configuration_effects import Action, Effect, effects
from domain.git_key import Key, place, scope_covers, scopes_meet, split

__all__ = ("Channel", "OpenChannel", "Surroundings", "open_channels")

_FALSE = frozenset({"", "0", "false", "no", "off"})
_USERINFO = re.compile(r"https?://[^/@]+@", re.IGNORECASE)
_AWAY = frozenset({Action.REWRITES_SCHEME, Action.REWRITES_HOST})


class Channel(StrEnum):
    """What could answer, or carry a credential, in place of the managed helper."""

    NETRC = "netrc"
    EXTRA_HEADER = "extra_header"
    COOKIE_FILE = "cookie_file"
    HELPER_RESET = "helper_reset"
    REWRITE_TO_SSH = "rewrite_to_ssh"
    REWRITE_ELSEWHERE = "rewrite_elsewhere"
    SSH_REMOTE = "ssh_remote"
    SSH_AGENT = "ssh_agent"
    CREDENTIAL_IN_REMOTE = "credential_in_remote"
    INCLUDED_FILE = "included_file"
    QUOTED_CONFIGURATION = "quoted_configuration"
    AMBIENT_TOKEN = "ambient_token"  # noqa: S105  the name of a channel
    ASKPASS = "askpass"
    UNVERIFIED_SERVER = "unverified_server"
    UNREDACTED_TRACE = "unredacted_trace"


@dataclass(frozen=True, slots=True)
class OpenChannel:
    """A channel and where: positions in the list, names of variables, of remotes, of machines."""

    channel: Channel
    positions: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was found beside the environment.

    `netrc` has the machines of `.netrc`, `default` for its catch-all; `remotes` name and URL, as
    rewrites leave it; `files` the configuration that git reads before the list, with its scope.
    """

    netrc: tuple[str, ...] = ()
    remotes: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    files: tuple[tuple[str, Entry], ...] = field(default=(), repr=False)


def open_channels(
    entries: Sequence[Entry], variables: Mapping[str, str], surroundings: Surroundings
) -> tuple[OpenChannel, ...]:
    """Every channel found, in the order of `Channel`, each once.

    What stands in a file is named by its scope and its variable. Where some hosts are managed, only
    what concerns one of them is a channel; where none is, everything found is. `variables` are the
    ordinary ones.
    """
    hosts = managed_git.hosts(entries)
    places: dict[Channel, list[int | str]] = {}
    files = surroundings.files
    for channel, position in _in_entries((*(entry for _, entry in files), *entries), hosts):
        if channel is Channel.ASKPASS and not _is_askpass_open(variables):
            continue
        in_file = position < len(files)
        where = _named(*files[position]) if in_file else position - len(files)
        places.setdefault(channel, []).append(where)
    for channel, name in (*_in_variables(variables), *_beside(surroundings, hosts)):
        places.setdefault(channel, []).append(name)
    return tuple(_channel_at(channel, places[channel]) for channel in Channel if channel in places)


def _channel_at(channel: Channel, places: Sequence[int | str]) -> OpenChannel:
    positions = tuple(where for where in places if isinstance(where, int))
    names = (where for where in places if isinstance(where, str))
    return OpenChannel(channel, positions, tuple(dict.fromkeys(names)))


def _named(scope: str, entry: Entry) -> str:
    """An entry of a file, without the subsection, which may hold a credential."""
    key = split(entry.key)
    return f"{scope} {key.section}.{key.variable}"


def _in_entries(entries: Sequence[Entry], hosts: Sequence[str]) -> Iterator[tuple[Channel, int]]:
    keys = [split(entry.key) for entry in entries]
    done = effects(entries)
    undone = set(_undone(keys, done))
    armed = set[str]()
    for position, (entry, key) in enumerate(zip(entries, keys, strict=True)):
        if managed_git.is_managed(entry):
            armed.update(managed_git.hosts([entry]))
            continue
        channel = _channel(entry, key, done[position].action, hosts)
        if channel is not None and position not in undone:
            yield channel, position
        if _is_helper_reset(entry, key) and _in_scope(key, armed):
            yield Channel.HELPER_RESET, position


def _undone(keys: Sequence[Key], done: Sequence[Effect]) -> Iterator[int]:
    """The positions that a later entry of the same scope resets or overrides."""
    for later, effect in zip(keys, done, strict=True):
        for position in effect.positions:
            if scope_covers(later.subsection, keys[position].subsection):
                yield position


def _channel(entry: Entry, key: Key, action: Action, hosts: Sequence[str]) -> Channel | None:
    if key.section == "http":
        return _http_channel(entry, key) if not hosts or _in_scope(key, hosts) else None
    if (key.section, key.variable) == ("core", "askpass"):
        return Channel.ASKPASS if entry.value else None
    if action is Action.INCLUDES:
        return Channel.INCLUDED_FILE
    if not _concerns(entry.value, hosts):
        return None
    if action is Action.REWRITES_TO_SSH:
        return Channel.REWRITE_TO_SSH
    if action in _AWAY:
        target = place(key.subsection or "")
        arrives = target.scheme == "https" and target.host in hosts
        return None if arrives else Channel.REWRITE_ELSEWHERE
    return None


def _http_channel(entry: Entry, key: Key) -> Channel | None:
    match key.variable:
        case "extraheader" if entry.value:
            return Channel.EXTRA_HEADER
        case "cookiefile" if entry.value:
            return Channel.COOKIE_FILE
        case "sslverify" if entry.value.lower() in _FALSE:
            return Channel.UNVERIFIED_SERVER
        case _:
            return None


def _is_helper_reset(entry: Entry, key: Key) -> bool:
    return (key.section, key.variable) == ("credential", "helper") and not entry.value


def _in_scope(key: Key, hosts: Iterable[str]) -> bool:
    return any(scopes_meet(key.subsection, f"https://{host}") for host in hosts)


def _concerns(prefix: str, hosts: Sequence[str]) -> bool:
    """Whether a rewrite takes addresses of a managed host, or of any host where none is."""
    if not hosts:
        return True
    source = place(prefix)
    return any(
        f"https://{host}/".startswith(prefix.lower()) or _name(source.host) == _name(host)
        for host in hosts
    )


def _in_variables(variables: Mapping[str, str]) -> Iterator[tuple[Channel, str]]:
    given = {name for name, value in variables.items() if value}
    if "SSH_AUTH_SOCK" in given:
        yield Channel.SSH_AGENT, "SSH_AUTH_SOCK"
    if "GIT_CONFIG_PARAMETERS" in given:
        yield Channel.QUOTED_CONFIGURATION, "GIT_CONFIG_PARAMETERS"
    for name in sorted(AMBIENT_TOKENS & given):
        yield Channel.AMBIENT_TOKEN, name
    askpass = "SSH_ASKPASS" if _is_askpass_open(variables) else "GIT_ASKPASS"
    if askpass in given:
        yield Channel.ASKPASS, askpass
    if "GIT_SSL_NO_VERIFY" in variables:
        yield Channel.UNVERIFIED_SERVER, "GIT_SSL_NO_VERIFY"
    if variables.get("GIT_TRACE_REDACT", "1").lower() in _FALSE:
        yield Channel.UNREDACTED_TRACE, "GIT_TRACE_REDACT"


def _is_askpass_open(variables: Mapping[str, str]) -> bool:
    """Git looks at `core.askPass` and `SSH_ASKPASS` unless `GIT_ASKPASS` is there, even empty."""
    return "GIT_ASKPASS" not in variables


def _beside(surroundings: Surroundings, hosts: Sequence[str]) -> Iterator[tuple[Channel, str]]:
    machines = {_name(host) for host in hosts}
    for machine in surroundings.netrc:
        if not machines or machine == "default" or machine.lower() in machines:
            yield Channel.NETRC, machine
    for name, url in surroundings.remotes:
        if place(url).scheme == "ssh":
            yield Channel.SSH_REMOTE, name
        if _USERINFO.match(url):
            yield Channel.CREDENTIAL_IN_REMOTE, name


def _name(host: str) -> str:
    """The host's name without its port: what `.netrc` and SSH know it by."""
    return host if host.endswith("]") else host.rpartition(":")[0] or host
