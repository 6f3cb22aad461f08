"""The indexed list: parsed, composed and written as git has it, held to its bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from domain import git_config
from domain.git_config import Entry, MalformedGitConfig, Reason
from domain.outcome import failed
from tests.requirements import requirement

A = Entry("core.hooksPath", "/hooks")
N = Entry("notes.augment.mergeStrategy", "cat_sort_uniq")
R = Entry("credential.https://github.com.helper", "")
H = Entry("credential.https://github.com.helper", "!helper")
U = Entry("credential.useHttpPath", "true")
S = Entry("safe.directory", "*")
I1 = Entry("url.https://github.com/.insteadOf", "git@github.com:")
I2 = Entry("url.https://github.com/.insteadOf", "ssh://git@github.com/")

few_entries = st.lists(st.sampled_from((A, N, R, H)), max_size=8).map(tuple)
any_text = st.text(
    st.characters(codec="utf-8") | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF)
).filter(lambda text: "\0" not in text)
any_entries = st.lists(
    st.builds(Entry, st.from_regex(r"\A[A-Za-z-]+(\.[^\n\0]*)?\.[a-zA-Z][a-z0-9-]*\Z"), any_text)
).map(tuple)


def refused(env: dict[str, str], layer: str = "environment") -> MalformedGitConfig:
    outcome = git_config.parse(env, layer)
    assert failed(outcome)
    return outcome.failure()


def numbered(count: int) -> tuple[Entry, ...]:
    return tuple(Entry(f"t.k{index}", "v") for index in range(count))


@requirement("git-config:compose:order")
@pytest.mark.parametrize(
    ("lower", "higher", "expected"),
    [
        ((), (), ()),
        ((A, N), (H, U), (A, N, H, U)),
        ((S, H), (H, U), (S, H, U)),
        ((I1,), (I2,), (I1, I2)),
        ((A, N), (R, H, U), (A, N, R, H, U)),
        ((A, N, R, H, U), (R, H, U), (A, N, R, H, U)),
        ((S, I1, I2, R, H, U), (R, H, U), (S, I1, I2, R, H, U)),
        ((A, N), (A, N), (A, N)),
        ((A,), (A, N), (A, N)),
        ((A, N), (A,), (A, N, A)),
        ((I1, I1), (I1,), (I1, I1)),
        ((I1,), (I1, I1), (I1, I1)),
        ((A, A, A), (A, A), (A, A, A)),
        ((A, R, H, U, N), (R, H, U), (A, R, H, U, N, R, H, U)),
        ((R, H, U), (A, R, H, U), (R, H, U, A, R, H, U)),
        ((Entry("A.b", "1"),), (Entry("a.b", "1"),), (Entry("A.b", "1"), Entry("a.b", "1"))),
        ((A,), (Entry(A.key, "/other"),), (A, Entry(A.key, "/other"))),
        ((A, N, A, N, A), (N, A, N, A, H), (A, N, A, N, A, H)),
    ],
)
def test_the_higher_block_follows_the_lower_less_the_longest_overlap(
    lower: tuple[Entry, ...], higher: tuple[Entry, ...], expected: tuple[Entry, ...]
) -> None:
    assert git_config.compose(lower, higher) == expected


@requirement("git-config:compose:overlap")
@given(few_entries, few_entries)
def test_the_overlap_is_the_one_that_a_naive_search_finds(
    lower: tuple[Entry, ...], higher: tuple[Entry, ...]
) -> None:
    lengths = range(min(len(lower), len(higher)) + 1)
    longest = max(n for n in lengths if lower[len(lower) - n :] == higher[:n])

    assert git_config.overlap(lower, higher) == longest
    assert git_config.compose(lower, higher) == lower + higher[longest:]


@given(few_entries, few_entries)
def test_composing_loses_nothing_and_keeps_the_order(
    lower: tuple[Entry, ...], higher: tuple[Entry, ...]
) -> None:
    composed = git_config.compose(lower, higher)

    assert composed[: len(lower)] == lower
    assert composed[len(composed) - len(higher) :] == higher


@requirement("git-config:compose:forwarded")
@given(few_entries, few_entries)
def test_a_block_that_is_forwarded_again_changes_nothing(
    lower: tuple[Entry, ...], higher: tuple[Entry, ...]
) -> None:
    composed = git_config.compose(lower, higher)

    assert git_config.compose(composed, higher) == composed


@given(few_entries, few_entries, few_entries)
def test_composing_is_associative_where_nothing_overlaps(
    one: tuple[Entry, ...], two: tuple[Entry, ...], three: tuple[Entry, ...]
) -> None:
    a, b, c = (
        tuple(Entry(f"{tag}.{entry.key}", entry.value) for entry in entries)
        for tag, entries in (("a", one), ("b", two), ("c", three))
    )

    left = git_config.compose(git_config.compose(a, b), c)

    assert left == git_config.compose(a, git_config.compose(b, c)) == a + b + c


@requirement("git-config:serialize")
@given(any_entries)
def test_what_is_written_is_read_back(entries: tuple[Entry, ...]) -> None:
    assert git_config.parse(git_config.serialize(entries)).unwrap() == entries


@requirement("git-config:serialize")
def test_a_block_is_written_from_zero_with_a_plain_count() -> None:
    assert git_config.serialize(()) == {}
    assert git_config.serialize((A, R)) == {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": A.key,
        "GIT_CONFIG_VALUE_0": A.value,
        "GIT_CONFIG_KEY_1": R.key,
        "GIT_CONFIG_VALUE_1": "",
    }


@requirement("git-config:parse:problem")
def test_a_problem_names_layer_variable_and_index_but_neither_key_nor_value() -> None:
    block = git_config.serialize((A, Entry("s3cret key", "s3cret value")))

    problem = refused(block, "agent profile")

    assert problem == MalformedGitConfig("agent profile", "GIT_CONFIG_KEY_1", 1, Reason.NO_SECTION)
    assert "s3cret" not in repr(problem)


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "ok\udfff"])
def test_text_that_no_process_can_be_given_is_refused(text: str) -> None:
    in_value = refused(git_config.serialize((Entry("t.v", text),)))
    in_key = refused(git_config.serialize((Entry(f"t.{text}.v", "x"),)))

    assert in_value == MalformedGitConfig(
        "environment", "GIT_CONFIG_VALUE_0", 0, Reason.UNREPRESENTABLE
    )
    assert in_key.reason is Reason.UNREPRESENTABLE


@requirement("git-config:bounds:entries")
def test_a_block_holds_entries_up_to_the_bound_and_not_one_more() -> None:
    at_bound = numbered(git_config.MAX_ENTRIES)

    assert git_config.parse(git_config.serialize(at_bound)).unwrap() == at_bound
    assert refused(git_config.serialize((*at_bound, A)), "request") == MalformedGitConfig(
        "request", "GIT_CONFIG_COUNT", None, Reason.TOO_MANY_ENTRIES
    )


@requirement("git-config:bounds:bytes")
def test_a_block_holds_bytes_up_to_the_bound_and_not_one_more() -> None:
    filler = tuple(Entry("t.v", "x" * git_config.MAX_TEXT_BYTES) for _ in range(2))
    room = git_config.MAX_BYTES - git_config.size((filler[0], Entry("t.v", "")))
    at_bound = (filler[0], Entry("t.v", "x" * room))
    beyond = (filler[0], Entry("t.v", "x" * (room + 1)))

    assert git_config.size(at_bound) == git_config.MAX_BYTES
    assert git_config.parse(git_config.serialize(at_bound)).unwrap() == at_bound
    assert refused(git_config.serialize(beyond)) == MalformedGitConfig(
        "environment", "GIT_CONFIG_COUNT", None, Reason.TOO_MANY_BYTES
    )


@requirement("git-config:bounds:text")
@pytest.mark.parametrize("letter", ["x", "é", "\udcff"])
def test_one_text_is_held_to_what_the_system_starts(letter: str) -> None:
    width = len(letter.encode("utf-8", "surrogateescape"))
    longest = letter * (git_config.MAX_TEXT_BYTES // width)
    padded = longest + "x" * (git_config.MAX_TEXT_BYTES - width * len(longest))

    assert not failed(git_config.parse(git_config.serialize((Entry("t.v", padded),))))
    assert refused(git_config.serialize((Entry("t.v", padded + "x"),))) == MalformedGitConfig(
        "environment", "GIT_CONFIG_VALUE_0", 0, Reason.TOO_LONG
    )


@given(any_entries)
def test_the_size_is_what_a_process_is_given(entries: tuple[Entry, ...]) -> None:
    block = git_config.serialize(entries)
    strings = (f"{name}={value}\0" for name, value in block.items())

    assert git_config.size(entries) == sum(
        len(text.encode("utf-8", "surrogateescape")) for text in strings
    )


@pytest.mark.parametrize("count", [9, 10, 11, 99, 100, 101, 999, 1_000, 1_001])
def test_the_size_counts_the_digits_of_every_index(count: int) -> None:
    entries = numbered(count)

    assert git_config.size(entries) == sum(
        len(f"{name}={value}\0") for name, value in git_config.serialize(entries).items()
    )


def test_a_count_of_any_length_is_judged_without_converting_it() -> None:
    assert git_config.parse({"GIT_CONFIG_COUNT": "0" * 100_000}).unwrap() == ()
    assert refused({"GIT_CONFIG_COUNT": "9" * 100_000}).reason is Reason.TOO_MANY_ENTRIES
    assert refused({"GIT_CONFIG_COUNT": "-" + "9" * 100_000}).reason is Reason.TOO_MANY_ENTRIES


def test_the_overlap_of_a_hostile_block_takes_linear_steps() -> None:
    class Counted(str):
        __slots__ = ()
        comparisons = 0

        @override
        def __eq__(self, other: object) -> bool:
            Counted.comparisons += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    length = 2_000
    lower = tuple(Entry(Counted("a.b"), "c") for _ in range(length))
    higher = (*(Entry(Counted("a.b"), "c") for _ in range(length - 1)), Entry(Counted("a.b"), "d"))

    assert git_config.overlap(lower, higher) == length - 1
    assert Counted.comparisons <= 8 * length
