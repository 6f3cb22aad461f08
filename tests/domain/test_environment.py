"""Layers make one environment: who wins, who conflicts, what is held to a bound, what came whence."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import environment, git_config
from domain.environment import ConflictingVariable, EntryOrigin, Layer, LayerName, Removal
from domain.git_config import Entry, MalformedGitConfig, Reason
from domain.outcome import failed
from tests.requirements import requirement

HOOKS = Entry("core.hooksPath", "/hooks")
NOTES = Entry("notes.augment.mergeStrategy", "union")
RESET = Entry("credential.https://github.com.helper", "")
HELPER = Entry("credential.https://github.com.helper", "!helper")
HOST_BLOCK = git_config.serialize((HOOKS, NOTES))
MORE_BLOCK = git_config.serialize((RESET, HELPER))
SECRET = frozenset({"TOKEN"})
CHOSEN = (
    LayerName.AGENT_PROFILE,
    LayerName.EXECUTOR_PROFILE,
    LayerName.REPOSITORY,
    LayerName.REQUEST,
)
AMBIENT = (LayerName.HOST, LayerName.EXECUTOR, LayerName.AGENT_DEFAULTS)


def block(*entries: Entry) -> dict[str, str]:
    return git_config.serialize(entries)


def refusal(*layers: Layer) -> object:
    outcome = environment.compose(layers)
    assert failed(outcome)
    return outcome.failure()


@requirement("environment:layers:order")
def test_the_layers_have_one_order() -> None:
    assert [str(name) for name in LayerName] == [
        "host",
        "executor",
        "agent defaults",
        "agent profile",
        "executor profile",
        "repository",
        "request",
        "managed",
    ]


@requirement("environment:layers:order")
@pytest.mark.parametrize(("lower", "higher"), [*combinations(LayerName, 2)])
def test_the_higher_of_two_plain_values_wins(lower: LayerName, higher: LayerName) -> None:
    layers = (Layer(lower, {"X": "low", "Y": "y"}), Layer(higher, {"X": ""}))

    assert environment.compose(layers).unwrap() == {"X": "", "Y": "y"}


@requirement("environment:conflict:secret")
@pytest.mark.parametrize(("lower", "higher"), [*combinations(CHOSEN, 2)])
@pytest.mark.parametrize(
    "secrets", [(SECRET, frozenset()), (frozenset(), SECRET), (SECRET, SECRET)]
)
def test_a_secret_that_a_chosen_layer_contradicts_stops_the_launch(
    lower: LayerName, higher: LayerName, secrets: tuple[frozenset[str], frozenset[str]]
) -> None:
    low = Layer(lower, {"TOKEN": "hunter2"}, secrets=secrets[0])
    high = Layer(higher, {"TOKEN": "swordfish"}, secrets=secrets[1])

    problem = refusal(low, high)

    assert problem == ConflictingVariable("TOKEN", lower, higher)
    assert "hunter2" not in repr((problem, low, high))
    assert "swordfish" not in repr((problem, low, high))


@requirement("environment:conflict:ambient")
@pytest.mark.parametrize(
    "ambient", [*AMBIENT, "agent_defaults", "Host process", "executor process"]
)
@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("secret_of", ["ambient", "chosen", "both"])
def test_an_ambient_value_loses_to_a_secret_without_a_conflict(
    ambient: str, chosen: str, secret_of: str
) -> None:
    layers = (
        Layer(ambient, {"TOKEN": "a"}, secrets=SECRET if secret_of != "chosen" else frozenset()),
        Layer(chosen, {"TOKEN": "b"}, secrets=SECRET if secret_of != "ambient" else frozenset()),
    )

    assert environment.compose(layers).unwrap() == {"TOKEN": "b"}


@requirement("environment:conflict:secret")
@pytest.mark.parametrize(
    "name", ["executor profile", "executor-profile docker", "repository app", "hostile", "else"]
)
def test_a_name_that_says_more_or_something_else_is_a_chosen_layer(name: str) -> None:
    layers = (Layer(name, {"TOKEN": "a"}, secrets=SECRET), Layer("request", {"TOKEN": "b"}))

    assert refusal(*layers) == ConflictingVariable("TOKEN", name, "request")


@requirement("environment:conflict:secret")
@pytest.mark.parametrize(
    "layers",
    [
        (
            Layer("repository app", {"TOKEN": "same"}, secrets=SECRET),
            Layer("repository lib", {"TOKEN": "same"}, secrets=SECRET),
        ),
        (
            Layer("agent profile", {"TOKEN": "same"}),
            Layer("executor profile", {"TOKEN": "same"}, secrets=SECRET),
        ),
        (
            Layer("request", {"TOKEN": "a"}, secrets=SECRET),
            Layer("managed", {"TOKEN": "same"}),
        ),
        (
            Layer("agent profile", {"TOKEN": "a"}, secrets=SECRET),
            Layer("request", {"TOKEN": "same"}, removes=SECRET),
        ),
    ],
    ids=["one secret twice", "a literal that equals it", "managed decides", "taken away first"],
)
def test_what_does_not_differ_in_earnest_is_no_conflict(layers: tuple[Layer, ...]) -> None:
    assert environment.compose(layers).unwrap() == {"TOKEN": "same"}


@requirement("environment:conflict:secret")
def test_of_several_conflicts_the_first_name_and_its_lowest_layers_are_told() -> None:
    layers = (
        Layer("agent profile", {"B": "1", "A": "1", "C": "1"}),
        Layer("repository app", {"B": "2", "A": "2", "C": "2"}),
        Layer("repository lib", {"B": "3", "A": "3", "C": "3"}, secrets=frozenset({"A", "B"})),
    )

    assert refusal(*layers) == ConflictingVariable("A", "agent profile", "repository lib")


@requirement("environment:entries:composed")
def test_the_hosts_entries_come_first_and_forwarding_twice_changes_nothing() -> None:
    host, request = Layer("host", HOST_BLOCK | {"HOME": "/h"}), Layer("request", MORE_BLOCK)

    once = environment.compose((host, request)).unwrap()
    twice = environment.compose((Layer("host", once), request, request)).unwrap()

    assert once == {"HOME": "/h"} | block(HOOKS, NOTES, RESET, HELPER)
    assert twice == once


@requirement("environment:entries:composed")
def test_pairs_beyond_the_count_are_neither_kept_nor_written_over() -> None:
    stray = {"GIT_CONFIG_KEY_7": "x.y", "GIT_CONFIG_VALUE_7": "1", "GIT_CONFIG_KEY_x": "z"}

    composed = environment.compose((
        Layer("host", HOST_BLOCK | stray),
        Layer("request", MORE_BLOCK),
    ))

    assert composed.unwrap() == block(HOOKS, NOTES, RESET, HELPER)


@requirement("environment:entries:composed")
def test_other_names_of_git_are_ordinary_variables() -> None:
    scalars = {"GIT_CONFIG_GLOBAL": "/g", "GIT_CONFIG_PARAMETERS": "'a.b'='c'", "GIT_CONFIG": "x"}

    assert environment.compose((Layer("host", scalars),)).unwrap() == scalars


@requirement("environment:entries:refused")
@pytest.mark.parametrize("name", list(LayerName))
def test_a_malformed_block_is_refused_in_the_name_of_its_layer(name: LayerName) -> None:
    malformed = HOST_BLOCK | {"GIT_CONFIG_COUNT": "3"}

    assert refusal(Layer("host", HOST_BLOCK), Layer(name, malformed)) == MalformedGitConfig(
        name, "GIT_CONFIG_KEY_2", 2, Reason.MISSING_KEY
    )


@requirement("environment:entries:bounds")
def test_the_layer_that_crosses_the_entry_bound_is_named() -> None:
    host = Layer("host", block(*(Entry(f"t.k{i}", "v") for i in range(git_config.MAX_ENTRIES - 1))))
    fits, crosses = Layer("repository", block(HOOKS)), Layer("request", block(NOTES))
    after = Layer("managed", MORE_BLOCK)

    assert environment.compose((host, fits)).unwrap()["GIT_CONFIG_COUNT"] == "1024"
    assert refusal(host, fits, crosses, after) == MalformedGitConfig(
        "request", "GIT_CONFIG_COUNT", None, Reason.TOO_MANY_ENTRIES
    )


@requirement("environment:entries:bounds")
def test_the_layer_that_crosses_the_byte_bound_is_named() -> None:
    filler = Entry("t.v", "x" * git_config.MAX_TEXT_BYTES)
    room = git_config.MAX_BYTES - git_config.size((filler, Entry("t.v", "")))
    host = Layer("host", block(filler))
    fits = Layer("request", block(Entry("t.v", "y" * room)))
    crosses = Layer("request", block(Entry("t.v", "y" * (room + 1))))

    assert not failed(environment.compose((host, fits)))
    assert refusal(host, crosses) == MalformedGitConfig(
        "request", "GIT_CONFIG_COUNT", None, Reason.TOO_MANY_BYTES
    )


@requirement("environment:removes")
def test_a_layer_takes_names_from_those_below_it_and_may_give_its_own() -> None:
    layers = (
        Layer("host", {"TOKEN": "ambient", "HOME": "/h", "GIT_ASKPASS": "ide"}),
        Layer("managed", {"GIT_ASKPASS": ""}, removes=frozenset({"TOKEN", "GIT_ASKPASS", "NONE"})),
    )

    explanation = environment.explain(layers).unwrap()

    assert environment.compose(layers).unwrap() == {"HOME": "/h", "GIT_ASKPASS": ""}
    assert explanation.removed == (
        Removal("GIT_ASKPASS", "host", "managed"),
        Removal("TOKEN", "host", "managed"),
    )


@requirement("environment:removes")
def test_taking_the_count_takes_the_whole_list() -> None:
    crowded = block(*(Entry(f"t.k{i}", "v") for i in range(git_config.MAX_ENTRIES)))
    layers = (
        Layer("host", crowded),
        Layer("agent profile", block(HOOKS)),
        Layer("request", block(NOTES), removes=frozenset({"GIT_CONFIG_COUNT"})),
    )

    assert environment.compose(layers).unwrap() == block(NOTES)


@requirement("environment:explain")
def test_each_entry_and_variable_has_the_layer_that_it_came_from() -> None:
    layers = (
        Layer("host", block(HOOKS, NOTES) | {"HOME": "/h", "X": "host"}),
        Layer(
            "agent profile",
            block(NOTES, HELPER) | {"X": "profile"},
            secrets=frozenset({"X", "GIT_CONFIG_VALUE_1"}),
        ),
    )

    explanation = environment.explain(layers).unwrap()

    assert explanation.entries == (
        EntryOrigin(HOOKS, "host", secret=False),
        EntryOrigin(NOTES, "host", secret=False),
        EntryOrigin(HELPER, "agent profile", secret=True),
    )
    assert [(v.name, v.value, v.layer, v.secret) for v in explanation.variables] == [
        ("HOME", "/h", "host", False),
        ("X", "profile", "agent profile", True),
    ]


layers = st.lists(
    st.builds(
        Layer,
        st.sampled_from(LayerName),
        st.builds(
            lambda scalars, entries: scalars | git_config.serialize(entries),
            st.dictionaries(st.sampled_from("ABC"), st.sampled_from(("", "1", "2"))),
            st.lists(st.sampled_from((HOOKS, NOTES, RESET, HELPER)), max_size=4),
        ),
        removes=st.frozensets(st.sampled_from("AB"), max_size=1),
    ),
    max_size=5,
)


@given(layers)
def test_what_is_explained_is_what_is_composed(given_layers: list[Layer]) -> None:
    composed = environment.compose(given_layers).unwrap()
    explanation = environment.explain(given_layers).unwrap()

    entries = [origin.entry for origin in explanation.entries]
    assert composed == {v.name: v.value for v in explanation.variables} | git_config.serialize(
        entries
    )


@requirement("environment:entries:composed")
@given(layers)
def test_an_environment_that_is_forwarded_as_the_host_of_its_last_layer_stays_the_same(
    given_layers: list[Layer],
) -> None:
    composed = environment.compose(given_layers).unwrap()
    again = environment.compose((Layer("host", composed), *given_layers[-1:])).unwrap()

    assert again == composed
