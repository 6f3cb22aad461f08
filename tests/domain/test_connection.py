"""Connections: user names, and what is refused before a forge is asked."""

import pytest

from domain.connection import (
    MAX_AUTHORITY_LENGTH,
    MAX_LOGIN_LENGTH,
    MAX_SECRET_BYTES,
    Connection,
    Description,
    Fault,
    InvalidConnection,
    Kind,
    Status,
    check,
    check_secret,
    describe,
    likely_kind,
    serving,
    username,
)
from domain.identity import ConnectionId, WorkspaceId
from domain.outcome import Failure, Success
from domain.secret import Secret
from tests.requirements import requirement

PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


@requirement("credentials:connection:username")
@pytest.mark.parametrize(
    ("kind", "login", "expected"),
    [
        (Kind.PAT, "alice", "x-access-token"),
        (Kind.PAT, None, "x-access-token"),
        (Kind.GH_CLI, "alice", "x-access-token"),
        (Kind.GITHUB_APP, "acme-bot", "x-access-token"),
        (Kind.GITLAB, "deploy-7", "deploy-7"),
        (Kind.GITLAB, None, "oauth2"),
        (Kind.GITEA, "alice", "alice"),
        (Kind.GITEA, None, "oauth2"),
        (Kind.BITBUCKET, "alice", "alice"),
        (Kind.BITBUCKET, None, "x-token-auth"),
        (Kind.GIT, "alice", "alice"),
        (Kind.GIT, None, "git"),
        (Kind.GIT, "", "git"),
    ],
)
def test_each_kind_has_its_rule_for_the_user_name(
    kind: Kind, login: str | None, expected: str
) -> None:
    assert username(kind, login) == expected


@pytest.mark.parametrize("kind", Kind)
def test_a_user_name_is_never_empty(kind: Kind) -> None:
    assert username(kind, None)


def test_a_host_suggests_the_kind_of_its_tokens() -> None:
    hosts = ["github.com", "gitlab.com", "codeberg.org", "bitbucket.org", "forge.example:8443"]

    assert [likely_kind(host) for host in hosts] == [
        Kind.PAT,
        Kind.GITLAB,
        Kind.GITEA,
        Kind.BITBUCKET,
        Kind.GIT,
    ]


@requirement("credentials:connection:checked")
@pytest.mark.parametrize(
    ("kind", "host", "login", "authority", "expected"),
    [
        (Kind.PAT, " GitHub.com:443 ", None, None, Success("github.com")),
        (Kind.GIT, "forge.example:8443", "alice", PEM, Success("forge.example:8443")),
        (Kind.GH_CLI, "github.com", "alice", None, Success("github.com")),
        (Kind.GH_CLI, "github.com", None, None, Fault.LOGIN_MISSING),
        (Kind.GH_CLI, "github.com", "", None, Fault.LOGIN_MISSING),
        (Kind.PAT, "https://github.com", None, None, Fault.HOST),
        (Kind.PAT, "alice@github.com", None, None, Fault.HOST),
        (Kind.PAT, "", None, None, Fault.HOST),
        (Kind.GIT, "forge.example", "a:b", None, Fault.LOGIN),
        (Kind.GIT, "forge.example", "a\nb", None, Fault.LOGIN),
        (Kind.GIT, "forge.example", "a b", None, Fault.LOGIN),
        (Kind.GIT, "forge.example", "", None, Fault.LOGIN),
        (Kind.GIT, "forge.example", "a" * MAX_LOGIN_LENGTH, None, Success("forge.example")),
        (Kind.GIT, "forge.example", "a" * (MAX_LOGIN_LENGTH + 1), None, Fault.LOGIN),
        (Kind.GIT, "forge.example", None, "", Fault.AUTHORITY),
        (Kind.GIT, "forge.example", None, "/etc/ssl/ca.pem", Fault.AUTHORITY),
        (Kind.GIT, "forge.example", None, PEM + "-----BEGIN PRIVATE KEY-----", Fault.AUTHORITY),
        (
            Kind.GIT,
            "forge.example",
            None,
            PEM.ljust(MAX_AUTHORITY_LENGTH),
            Success("forge.example"),
        ),
        (Kind.GIT, "forge.example", None, PEM.ljust(MAX_AUTHORITY_LENGTH + 1), Fault.AUTHORITY),
    ],
)
def test_a_connection_is_checked_before_its_forge_is_asked(
    kind: Kind,
    host: str,
    login: str | None,
    authority: str | None,
    expected: Success[str] | Fault,
) -> None:
    wanted = Failure(InvalidConnection(expected)) if isinstance(expected, Fault) else expected

    assert check(kind, host, login, authority) == wanted


@requirement("credentials:connection:checked")
@pytest.mark.parametrize("value", ["ghp_x", "pass word", "pässword", "x" * MAX_SECRET_BYTES])
def test_a_secret_of_one_printable_line_is_taken(value: str) -> None:
    assert check_secret(Secret(value)) == Success(Secret(value))


@requirement("credentials:connection:checked")
@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "a\nb",
        "a\r",
        "a\0b",
        " a",
        "a\t",
        "\udcff",
        "x" * (MAX_SECRET_BYTES + 1),
        "é" * (MAX_SECRET_BYTES // 2) + "x",
    ],
)
def test_a_secret_that_could_not_travel_is_refused_without_being_repeated(value: str) -> None:
    assert check_secret(Secret(value)) == Failure(InvalidConnection(Fault.SECRET))


def test_a_description_has_the_actor_and_the_status_and_no_more() -> None:
    connection = Connection(
        ConnectionId("c"),
        WorkspaceId("w"),
        "github.com",
        Kind.GITHUB_APP,
        "acme-bot",
        Status.SUSPENDED,
        7,
        PEM,
    )

    assert describe(connection) == Description(
        "github.com", "github_app_installation", "acme-bot", Status.SUSPENDED
    )


def at(host: str, status: Status, name: str) -> Connection:
    return Connection(ConnectionId(name), WorkspaceId("w"), host, Kind.GIT, None, status, 1)


@pytest.mark.parametrize("inactive", [each for each in Status if each is not Status.ACTIVE])
def test_the_active_connection_of_a_host_serves_it_wherever_it_stands(inactive: Status) -> None:
    active = at("forge.example", Status.ACTIVE, "active")
    old = at("forge.example", inactive, "old")
    other = at("other.example", Status.ACTIVE, "other")

    assert serving([old, other, active], "forge.example") is active
    assert serving([active, old], "forge.example") is active
    assert serving([other, old], "forge.example") is old
    assert serving([active, old], "nowhere.example") is None
