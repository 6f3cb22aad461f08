"""What is taken from the layers of an environment, and what is left as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import environment, git_config, managed_git, managed_shell
from domain.ambient_credentials import AMBIENT_TOKENS, ASKPASS, OVERRIDES, cleared, inherited
from domain.broker_contract import NAMES, SCOPES
from domain.credential_policy import (
    CredentialDecision,
    Mode,
    Source,
    decide,
    removes,
)
from domain.environment import Layer
from domain.git_config import Entry, MalformedGitConfig
from domain.managed_git import ManagedHost
from domain.outcome import Success, failed
from tests.domain.credential_examples import (
    CHOSEN,
    ONE,
    ORDER,
    TOKENS,
    connection,
    decided,
    layers_with,
)
from tests.requirements import requirement


@requirement("credentials:policy:removed")
def test_managed_access_takes_what_could_answer_in_its_place_and_says_what_was_there() -> None:
    layers = layers_with({
        "host": {"GITLAB_TOKEN": "g", "SSH_ASKPASS": "/bin/ask", "GH_TOKEN": "h"},
        "agent profile": {"GIT_ASKPASS": "/bin/ask", "GIT_CONFIG_PARAMETERS": "'a.b=c'"},
        "request": {"EDITOR": "vi"},
    })

    assert decided(Mode.MANAGED, layers).removed == (
        "GH_TOKEN",
        "GITLAB_TOKEN",
        "GIT_ASKPASS",
        "GIT_CONFIG_PARAMETERS",
        "SSH_ASKPASS",
    )


@requirement("credentials:policy:removed")
def test_a_token_that_someone_set_for_another_forge_stays() -> None:
    layers = layers_with({"host": {"GITEA_TOKEN": "h"}, "request": {"GITLAB_TOKEN": "chosen"}})

    assert decided(Mode.MANAGED, layers).removed == ("GITEA_TOKEN",)
    assert "GITLAB_TOKEN" not in removes(Mode.MANAGED, Source.WORKSPACE, layers)


@requirement("credentials:policy:removed")
def test_the_names_to_take_are_known_also_for_layers_that_are_not_seen() -> None:
    assert removes(Mode.MANAGED, Source.WORKSPACE, ()) == (
        NAMES | AMBIENT_TOKENS | ASKPASS | {"GIT_CONFIG_PARAMETERS"}
    )
    assert removes(Mode.MANAGED, Source.EXECUTOR_PROFILE, ()) == NAMES | OVERRIDES
    assert removes(Mode.MANAGED, Source.EXECUTOR, ()) == NAMES
    for source in Source:
        assert removes(Mode.EXECUTOR, source, ()) == NAMES


BROKER = dict.fromkeys(sorted(NAMES), "/stale")
HOOKS = Entry("core.hooksPath", "/hooks")


def _managed_variables(*before: Entry) -> dict[str, str]:
    decision = decided(Mode.MANAGED)
    return dict(decision.variables) | BROKER | git_config.serialize((*before, *decision.entries))


@requirement("credentials:policy:stale")
@pytest.mark.parametrize("layer", ORDER)
def test_a_stale_contract_goes_from_any_layer_under_every_policy(layer: str) -> None:
    layers = layers_with({layer: BROKER})

    for mode in Mode:
        assert set(decided(mode, layers).removed) == NAMES
    for clean in cleared(layers).unwrap():
        assert dict(clean.variables) == {"LANG": "C"}


@requirement("credentials:policy:stale")
def test_an_environment_that_was_managed_before_is_cleared_of_exactly_that() -> None:
    dirty = Layer("host", {"LANG": "C"} | _managed_variables(HOOKS))

    assert cleared((dirty,)) == Success((
        Layer("host", {"LANG": "C"} | git_config.serialize([HOOKS])),
    ))


@requirement("git-config:managed:certificates")
def test_a_bundle_that_was_taken_for_managed_access_is_a_variable_again() -> None:
    private = [ManagedHost("forge.example", "/authority.pem")]
    entries = managed_git.entries(private, "/t/git-credential-kandev", "/bundle.pem")
    dirty = Layer("host", BROKER | git_config.serialize((HOOKS, *entries)))

    assert cleared((dirty,)) == Success((
        Layer("host", {"GIT_SSL_CAINFO": "/bundle.pem"} | git_config.serialize([HOOKS])),
    ))


@requirement("environment:tools:removed")
@pytest.mark.parametrize("named", ["by the contract", "by an entry"])
def test_the_tools_of_an_earlier_managed_access_leave_the_path_and_the_shells(named: str) -> None:
    before = {"PATH": "/bin", "BASH_ENV": "/mine"}
    tools = "/it's a/tools"
    entries = managed_git.entries([ManagedHost("h")], f"{tools}/git-credential-kandev")
    own = (
        BROKER | {"KANDEV_TOOLS_DIR": tools}
        if named == "by the contract"
        else git_config.serialize(entries)
    )
    dirty = before | own | managed_shell.added(tools, before.get)

    assert cleared((Layer("host", dirty),)) == Success((Layer("host", before),))


@requirement("environment:withheld:private")
def test_a_process_of_ours_hands_on_nothing_that_was_meant_for_it_alone() -> None:
    tools = managed_shell.added("/t", {"PATH": "/bin"}.get)
    own = BROKER | {"KANDEV_TOOLS_DIR": "/t", "KANDEV_API_TOKEN": "x", "AGENTCTL_PORT": "1"}
    malformed = {"GIT_CONFIG_COUNT": "two"}

    assert inherited({"LANG": "C"} | own | tools) == {"LANG": "C", "PATH": "/bin"}
    assert inherited({"KANDEV_API_TOKEN": "x"} | malformed) == malformed


def test_what_someone_else_set_beside_a_stale_contract_stays() -> None:
    dirty = Layer("host", BROKER | {"GIT_TERMINAL_PROMPT": "1", "GIT_ASKPASS": "/bin/ask"})

    assert cleared((dirty,)) == Success((
        Layer("host", {"GIT_TERMINAL_PROMPT": "1", "GIT_ASKPASS": "/bin/ask"}),
    ))


def test_a_layer_without_anything_of_ours_is_the_same_layer() -> None:
    foreign = Layer(
        "host",
        {"GIT_ASKPASS": "", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_KEY_9": "stray"}
        | git_config.serialize([HOOKS, Entry("credential.helper", "")]),
    )

    assert cleared((foreign,)).unwrap()[0] is foreign


def test_an_entry_that_was_a_secret_stays_one_under_its_new_index() -> None:
    decision = decided(Mode.MANAGED)
    token = Entry("http.https://other.example.extraHeader", "X: y")
    variables = BROKER | git_config.serialize((*decision.entries, HOOKS, token))
    dirty = Layer("host", variables, frozenset({"GIT_CONFIG_VALUE_5", "LANG"}))

    (clean,) = cleared((dirty,)).unwrap()

    assert dict(clean.variables) == git_config.serialize([HOOKS, token])
    assert clean.secrets == {"GIT_CONFIG_KEY_1", "GIT_CONFIG_VALUE_1"}


@pytest.mark.parametrize("mode", Mode)
def test_a_malformed_list_in_any_layer_stops_the_launch_under_every_policy(mode: Mode) -> None:
    layers = (Layer("agent profile", {"GIT_CONFIG_COUNT": "1"}),)

    outcome = decide(mode, (connection(),), layers, ONE)

    assert failed(outcome)
    problem = outcome.failure()
    assert isinstance(problem, MalformedGitConfig)
    assert (problem.layer, problem.index) == ("agent profile", 0)


def _environment(
    decision: CredentialDecision, mode: Mode, layers: tuple[Layer, ...]
) -> dict[str, str]:
    """As whoever starts the process makes it."""
    managed = Layer(
        "managed",
        dict(decision.variables) | git_config.serialize(decision.entries),
        removes=removes(mode, decision.source, layers),
    )
    return environment.compose((*cleared(layers).unwrap(), managed)).unwrap()


@requirement("credentials:policy:untouched")
@pytest.mark.parametrize(
    ("mode", "chosen"), [(Mode.EXECUTOR, {}), (Mode.MANAGED, {"GH_TOKEN": "t"})]
)
def test_where_the_workspace_is_not_the_source_nothing_of_ours_is_in_the_environment(
    mode: Mode, chosen: dict[str, str]
) -> None:
    own = {"SSH_ASKPASS": "/bin/ask", "GITLAB_TOKEN": "g"} | git_config.serialize([HOOKS])
    layers = (Layer("host", own | BROKER), Layer("request", chosen))

    decision = decided(mode, layers)

    assert _environment(decision, mode, layers) == own | chosen


@requirement("credentials:policy:stale")
def test_deciding_again_over_a_managed_environment_changes_nothing() -> None:
    layers = (Layer("host", git_config.serialize([HOOKS]) | {"LANG": "C"}),)
    first = _environment(decided(Mode.MANAGED, layers), Mode.MANAGED, layers)

    again = (Layer("host", first),)
    second = _environment(decided(Mode.MANAGED, again), Mode.MANAGED, again)
    inherited = _environment(decided(Mode.EXECUTOR, again), Mode.EXECUTOR, again)

    assert second == first
    assert inherited == git_config.serialize([HOOKS]) | {"LANG": "C"}


@requirement("credentials:policy:removed")
@given(
    st.lists(
        st.tuples(
            st.sampled_from(ORDER),
            st.sampled_from([*sorted(AMBIENT_TOKENS | ASKPASS | NAMES), "GIT_CONFIG_PARAMETERS"]),
            st.sampled_from(["", "value"]),
        ),
        max_size=12,
    )
)
def test_whatever_lies_in_the_layers_no_ambient_credential_reaches_a_managed_agent(
    planted: list[tuple[str, str, str]],
) -> None:
    variables: dict[str, dict[str, str]] = {}
    for layer, name, value in planted:
        variables.setdefault(layer, {})[name] = value
    layers = layers_with(variables)
    decision = decided(Mode.MANAGED, layers)
    composed = _environment(decision, Mode.MANAGED, layers)

    last_words = [
        [variables[layer][name] for layer in CHOSEN if name in variables.get(layer, {})][-1:]
        for name in TOKENS
    ]
    chosen = ["value"] in last_words
    assert (decision.source is Source.EXECUTOR_PROFILE) is chosen
    if decision.source is Source.WORKSPACE:
        assert composed["GIT_ASKPASS"] == ""
        assert not {"SSH_ASKPASS", "GIT_CONFIG_PARAMETERS", *TOKENS} & composed.keys()
        assert {name for name in NAMES if name in composed} == {SCOPES}
    for name in AMBIENT_TOKENS & composed.keys():
        if composed[name] and decision.source is Source.WORKSPACE:
            assert any(name in variables.get(layer, {}) for layer in CHOSEN)
