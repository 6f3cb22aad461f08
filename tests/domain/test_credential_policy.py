"""The one decision about credentials, cell by cell."""

from itertools import permutations

import pytest

from domain import managed_git
from domain.broker_contract import MAX_SCOPES, SCOPES, GitScope
from domain.connection import Connection, Description, Kind, Status
from domain.credential_policy import (
    RUNTIME_SELECTED,
    UNPLACED_HELPER,
    AmbiguousConnection,
    ConnectionInactive,
    CredentialDecision,
    Mode,
    PolicyDescription,
    Source,
    TooManyRepositories,
    Transport,
    decide,
    describe_policy,
    managed_hosts,
)
from domain.environment import Layer
from domain.git_config import Entry
from domain.identity import ConnectionId, RepositoryId
from domain.managed_git import ManagedHost
from domain.outcome import Failure, failed
from tests.domain.credential_examples import (
    AMBIENT,
    CHOSEN,
    HELPER,
    ONE,
    TOKENS,
    TWO,
    Attached,
    connection,
    decided,
    layers_with,
    repository,
    scope,
)
from tests.requirements import requirement


@requirement("credentials:policy:order")
@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("layer", CHOSEN)
@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("repositories", [ONE, TWO])
def test_a_token_that_someone_chose_wins_and_is_disclosed_without_an_actor(
    mode: Mode, layer: str, token: str, repositories: tuple[Attached, ...]
) -> None:
    assert decided(mode, layers_with({layer: {token: "t"}}), repositories) == CredentialDecision(
        Source.EXECUTOR_PROFILE, None, RUNTIME_SELECTED, Transport.PROFILE_TOKEN
    )


@requirement("credentials:policy:order")
@pytest.mark.parametrize("repositories", [(), ONE, TWO])
def test_the_policy_executor_inherits(repositories: tuple[Attached, ...]) -> None:
    assert decided(Mode.EXECUTOR, layers_with({}), repositories) == CredentialDecision(
        Source.EXECUTOR, None, RUNTIME_SELECTED, Transport.EXECUTOR_SELECTED
    )


@requirement("credentials:policy:managed")
@pytest.mark.parametrize(
    ("repositories", "scopes"),
    [(ONE, [scope("widgets")]), (TWO, [scope("widgets"), scope("backend")])],
)
def test_a_managed_workspace_gives_each_repository_a_scope(
    repositories: tuple[Attached, ...], scopes: list[GitScope]
) -> None:
    decision = decided(Mode.MANAGED, layers_with({}), repositories)

    assert (decision.source, decision.method, decision.actor, decision.transport) == (
        Source.WORKSPACE,
        "pat",
        "alice",
        Transport.MANAGED_HTTPS,
    )
    assert list(decision.scopes) == scopes


@requirement("credentials:policy:managed")
def test_managed_entries_reset_then_ask_the_helper_then_stop() -> None:
    decision = decided(Mode.MANAGED, layers_with({}), TWO)

    helpers = [e.value for e in decision.entries if e.key == "credential.https://github.com.helper"]
    assert helpers == ["", f"!'{HELPER}'", "!echo quit=1; :"]
    assert Entry("credential.https://github.com.useHttpPath", "true") in decision.entries
    assert decision.entries == managed_git.entries([ManagedHost("github.com")], HELPER)
    assert decision.variables == {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        SCOPES: '[{"repository_id":"widgets","host":"github.com","path":"/acme/widgets"},'
        '{"repository_id":"backend","host":"github.com","path":"/acme/backend"}]',
    }


@requirement("credentials:policy:managed")
def test_hosts_are_managed_in_the_order_of_their_repositories_with_their_authorities() -> None:
    repositories = (
        repository("a", "forge.example:8443"),
        *ONE,
        repository("b", "forge.example:8443"),
    )
    connections = (connection(), connection("forge.example:8443", Kind.GIT, None, name="f"))
    authorities = {"forge.example:8443": "/run/ca.pem"}

    decision = decide(
        Mode.MANAGED, connections, (), repositories, helper=HELPER, authorities=authorities
    ).unwrap()

    assert managed_hosts(decision.scopes, authorities) == (
        ManagedHost("forge.example:8443", "/run/ca.pem"),
        ManagedHost("github.com"),
    )
    assert [entry.key for entry in decision.entries if entry.key.startswith("http.")] == [
        "http.https://forge.example:8443.sslCAInfo"
    ]
    assert [entry.key for entry in decision.entries if entry.value == ""] == [
        "credential.https://forge.example:8443.helper",
        "credential.https://github.com.helper",
    ]


def test_where_the_tools_are_not_known_the_helper_is_a_path_that_cannot_exist() -> None:
    decision = decide(Mode.MANAGED, (connection(),), (), ONE).unwrap()

    assert f"!'{UNPLACED_HELPER}'" in [entry.value for entry in decision.entries]
    assert UNPLACED_HELPER.startswith("/dev/null/")


@requirement("credentials:policy:ambient")
@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("layer", AMBIENT)
def test_a_token_that_lies_in_a_process_overrides_nothing(layer: str, token: str) -> None:
    layers = layers_with({layer: {token: "t"}})

    managed, inherited = decided(Mode.MANAGED, layers), decided(Mode.EXECUTOR, layers)

    assert (managed.source, managed.removed) == (Source.WORKSPACE, (token,))
    assert (inherited.source, inherited.removed) == (Source.EXECUTOR, ())


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("Host", Source.WORKSPACE),
        ("host process", Source.WORKSPACE),
        ("executor process", Source.WORKSPACE),
        ("agent_defaults", Source.WORKSPACE),
        ("agent-defaults", Source.WORKSPACE),
        ("managed", Source.WORKSPACE),
        ("executor_profile", Source.EXECUTOR_PROFILE),
        ("Executor Profile docker", Source.EXECUTOR_PROFILE),
        ("agent_profile", Source.EXECUTOR_PROFILE),
        ("repository app", Source.EXECUTOR_PROFILE),
        ("request", Source.EXECUTOR_PROFILE),
        ("hostile", Source.EXECUTOR_PROFILE),
    ],
)
def test_a_layer_is_ambient_by_its_name(name: str, source: Source) -> None:
    assert decided(Mode.MANAGED, (Layer(name, {"GH_TOKEN": "t"}),)).source is source


@requirement("credentials:policy:order")
@pytest.mark.parametrize("blank", ["", " ", "\t\n"])
def test_a_blank_token_is_none_and_a_later_blank_takes_an_earlier_one_back(blank: str) -> None:
    alone = layers_with({"executor profile": {"GITHUB_TOKEN": blank}})
    later = layers_with({
        "agent profile": {"GITHUB_TOKEN": "t"},
        "request": {"GITHUB_TOKEN": blank},
    })

    assert decided(Mode.MANAGED, alone).source is Source.WORKSPACE
    assert decided(Mode.MANAGED, later).source is Source.WORKSPACE


def test_a_layer_can_take_a_chosen_token_away() -> None:
    layers = (
        Layer("agent profile", {"GITHUB_TOKEN": "t"}),
        Layer("request", {}, removes=frozenset({"GITHUB_TOKEN"})),
    )

    assert decided(Mode.MANAGED, layers).source is Source.WORKSPACE


@pytest.mark.parametrize("mode", Mode)
def test_a_chosen_token_is_not_outranked_by_an_ambient_one_where_the_policy_is_managed(
    mode: Mode,
) -> None:
    layers = layers_with({"host": {"GH_TOKEN": "h"}, "request": {"GITHUB_TOKEN": "t"}})

    decision = decided(mode, layers)

    assert decision.source is Source.EXECUTOR_PROFILE
    assert decision.removed == (("GH_TOKEN",) if mode is Mode.MANAGED else ())


@requirement("credentials:policy:unserved")
@pytest.mark.parametrize(
    ("connections", "repositories"),
    [
        ((), ONE),
        ((connection("gitlab.com", Kind.GITLAB),), ONE),
        ((connection("github.com:8443"),), ONE),
        ((connection(),), ()),
        ((connection(),), (Attached(RepositoryId("local"), None),)),
        ((connection(status=Status.INVALID),), (repository("a", "forge.example"),)),
    ],
)
def test_a_managed_workspace_that_serves_no_repository_inherits_and_guesses_nobody(
    connections: tuple[Connection, ...], repositories: tuple[Attached, ...]
) -> None:
    layers = layers_with({"host": {"GITHUB_TOKEN": "h", "GIT_ASKPASS": "/bin/ask"}})

    assert decided(Mode.MANAGED, layers, repositories, connections) == CredentialDecision(
        Source.EXECUTOR, None, RUNTIME_SELECTED, Transport.EXECUTOR_SELECTED
    )


@requirement("credentials:policy:unserved")
def test_a_repository_on_another_host_is_left_alone_beside_a_served_one() -> None:
    decision = decided(Mode.MANAGED, (), (repository("lib", "forge.example"), *ONE))

    assert decision.scopes == (scope("widgets"),)
    assert not any("forge.example" in entry.key for entry in decision.entries)


@requirement("credentials:policy:inactive")
@pytest.mark.parametrize("status", [status for status in Status if status is not Status.ACTIVE])
def test_a_connection_that_cannot_be_used_stops_a_managed_launch_only(status: Status) -> None:
    broken = (connection(status=status),)

    assert decide(Mode.MANAGED, broken, (), ONE) == Failure(
        ConnectionInactive("github.com", ConnectionId("c"), status)
    )
    assert not failed(decide(Mode.EXECUTOR, broken, (), ONE))
    assert not failed(decide(Mode.MANAGED, broken, (Layer("request", {"GH_TOKEN": "t"}),), ONE))


def test_a_usable_connection_is_taken_beside_a_broken_one_of_its_host() -> None:
    connections = (
        connection(status=Status.REVOKED, name="old"),
        connection(login="bob", name="new"),
    )

    assert decided(Mode.MANAGED, connections=connections).actor == "bob"


def test_two_usable_connections_of_a_host_are_not_chosen_between() -> None:
    connections = (connection(name="one"), connection(name="two"))

    assert decide(Mode.MANAGED, connections, (), ONE) == Failure(AmbiguousConnection("github.com"))


@pytest.mark.parametrize(
    ("first", "second", "method", "actor"),
    [
        (connection(), connection("f.example", Kind.GIT, "alice"), None, "alice"),
        (connection(), connection("f.example", Kind.PAT, "bob"), "pat", RUNTIME_SELECTED),
        (connection(), connection("f.example", Kind.PAT, None), "pat", RUNTIME_SELECTED),
        (connection(login=None), connection("f.example", login=""), "pat", RUNTIME_SELECTED),
    ],
)
def test_method_and_actor_are_said_when_they_are_true_of_all_scopes(
    first: Connection, second: Connection, method: str | None, actor: str
) -> None:
    repositories = (*ONE, repository("lib", "f.example"))

    decision = decided(Mode.MANAGED, (), repositories, (first, second))

    assert (decision.method, decision.actor) == (method, actor)


@pytest.mark.parametrize("kind", Kind)
def test_the_method_is_the_kind_of_the_connection(kind: Kind) -> None:
    assert decided(Mode.MANAGED, connections=(connection(kind=kind),)).method == kind.value


def test_repositories_up_to_the_bound_are_served_and_no_more() -> None:
    many = tuple(repository(f"r{number}") for number in range(MAX_SCOPES + 1))

    assert len(decided(Mode.MANAGED, (), many[:MAX_SCOPES]).scopes) == MAX_SCOPES
    assert decide(Mode.MANAGED, (connection(),), (), many) == Failure(
        TooManyRepositories(MAX_SCOPES + 1)
    )


def test_a_repository_attached_twice_has_one_scope() -> None:
    assert decided(Mode.MANAGED, (), (*ONE, *ONE)).scopes == (scope("widgets"),)


def test_the_order_of_connections_does_not_matter() -> None:
    hosts = ("github.com", "gitlab.com", "forge.example")
    connections = [connection(host, name=host) for host in hosts]
    repositories = tuple(repository(f"r{index}", host) for index, host in enumerate(hosts))

    decisions = [
        decided(Mode.MANAGED, (), repositories, order) for order in permutations(connections)
    ]

    assert all(decision == decisions[0] for decision in decisions)


@requirement("credentials:policy:described")
def test_a_policy_is_described_with_the_status_of_each_connection() -> None:
    connections = (
        connection(),
        connection("gitlab.com", Kind.GITLAB, None, Status.INVALID),
    )

    assert describe_policy(Mode.EXECUTOR, connections) == PolicyDescription(
        Mode.EXECUTOR,
        (
            Description("github.com", "pat", "alice", Status.ACTIVE),
            Description("gitlab.com", "gitlab_token", None, Status.INVALID),
        ),
    )
