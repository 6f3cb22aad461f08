"""The snapshot of a session's credential: said once, read back as it was said."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.credential_policy import (
    RUNTIME_SELECTED,
    CredentialDecision,
    Mode,
    Source,
    Transport,
)
from domain.credential_snapshot import (
    KEY,
    MAX_FIELD_LENGTH,
    MAX_TEXT_LENGTH,
    VERSION,
    CredentialSnapshot,
    load,
    snapshot,
)
from domain.execution import ExecutorType
from tests.requirements import requirement

NOW = datetime(2026, 8, 1, 12, 30, 15, 123456, tzinfo=UTC)
MANAGED = CredentialSnapshot(
    Mode.MANAGED,
    Source.WORKSPACE,
    "github_app_installation",
    "acme-bot",
    Transport.MANAGED_HTTPS,
    "worktree",
    NOW,
)
STORED: dict[str, object] = {
    "version": 1,
    "policy": "managed",
    "source": "workspace",
    "workspace_method": "github_app_installation",
    "actor": "acme-bot",
    "transport": "managed_https",
    "executor_type": "worktree",
    "captured_at": "2026-08-01T12:30:15.123456Z",
}


@requirement("credentials:snapshot:shape")
def test_a_snapshot_is_stored_under_its_key_in_the_shape_of_version_1() -> None:
    assert (KEY, VERSION) == ("git_credential_snapshot", 1)
    assert MANAGED.to_json() == STORED
    assert load(STORED) == MANAGED


@requirement("credentials:snapshot:shape")
@pytest.mark.parametrize(
    ("mode", "decision", "fields"),
    [
        (
            Mode.MANAGED,
            CredentialDecision(Source.WORKSPACE, "pat", "alice", Transport.MANAGED_HTTPS),
            {"workspace_method": "pat", "actor": "alice", "transport": "managed_https"},
        ),
        (
            Mode.MANAGED,
            CredentialDecision(Source.WORKSPACE, None, RUNTIME_SELECTED, Transport.MANAGED_HTTPS),
            {"actor": "runtime_selected", "transport": "managed_https"},
        ),
        (
            Mode.MANAGED,
            CredentialDecision(
                Source.EXECUTOR_PROFILE, None, RUNTIME_SELECTED, Transport.PROFILE_TOKEN
            ),
            {"actor": "runtime_selected", "transport": "profile_token"},
        ),
        (
            Mode.EXECUTOR,
            CredentialDecision(
                Source.EXECUTOR, None, RUNTIME_SELECTED, Transport.EXECUTOR_SELECTED
            ),
            {"actor": "runtime_selected", "transport": "executor_selected"},
        ),
    ],
)
def test_a_candidate_says_what_was_decided(
    mode: Mode, decision: CredentialDecision, fields: dict[str, object]
) -> None:
    local = NOW.astimezone(timezone(timedelta(hours=2)))

    candidate = snapshot(decision, mode, ExecutorType.LOCAL, local)

    assert candidate.to_json() == fields | {
        "version": 1,
        "policy": mode.value,
        "source": decision.source.value,
        "executor_type": "local",
        "captured_at": "2026-08-01T12:30:15.123456Z",
    }
    assert load(candidate.to_json()) == candidate


@requirement("credentials:snapshot:actor")
@pytest.mark.parametrize("source", [Source.EXECUTOR, Source.EXECUTOR_PROFILE])
def test_nobody_is_named_where_the_workspace_is_not_the_source(source: Source) -> None:
    decision = CredentialDecision(source, None, "alice", Transport.PROFILE_TOKEN)
    stored = STORED | {"source": source.value}

    assert snapshot(decision, Mode.MANAGED, "local", NOW).actor == RUNTIME_SELECTED
    read = load(stored)
    assert read is not None
    assert (read.actor, read.workspace_method) == (RUNTIME_SELECTED, None)


@requirement("credentials:snapshot:load")
@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "secret",
        "[]",
        "7",
        "{",
        "[" * 100_000,
        "9" * 10_000,
        b"\xff\xfe\xfa",
        [],
        [STORED],
        42,
        True,
        1.5,
        object(),
        {},
        {1: 2},
        {"version": 1},
        STORED | {"version": 2},
        STORED | {"version": 0},
        STORED | {"version": True},
        STORED | {"version": 1.0},
        STORED | {"version": "1"},
        STORED | {"version": None},
        {name: field for name, field in STORED.items() if name != "version"},
        STORED | {"source": 7},
        STORED | {"source": "weird"},
        STORED | {"source": "Workspace"},
        STORED | {"source": ["workspace"]},
        STORED | {"source": None},
        {name: field for name, field in STORED.items() if name != "source"},
    ],
)
def test_what_is_not_a_snapshot_is_none(value: object) -> None:
    assert load(value) is None


UNKNOWN: list[object] = [None, 5, True, [], {}, "", "a\nb", "x" * (MAX_FIELD_LENGTH + 1)]


@requirement("credentials:snapshot:load")
@pytest.mark.parametrize("value", UNKNOWN)
@pytest.mark.parametrize(
    ("name", "unknown"),
    [
        ("policy", None),
        ("workspace_method", None),
        ("actor", RUNTIME_SELECTED),
        ("transport", None),
        ("executor_type", None),
        ("captured_at", None),
    ],
)
def test_a_field_that_cannot_be_read_is_unknown_and_the_others_stay(
    name: str, unknown: object, value: object
) -> None:
    read = load(STORED | {name: value})

    assert read is not None
    assert {field: getattr(read, field) for field in STORED} == {
        field: getattr(MANAGED, field) for field in STORED
    } | {name: unknown}


@requirement("credentials:snapshot:load")
@pytest.mark.parametrize("name", ["policy", "transport"])
def test_a_word_outside_a_closed_set_is_unknown(name: str) -> None:
    read = load(STORED | {name: "telepathy"})

    assert read is not None
    assert getattr(read, name) is None


def test_a_method_is_kept_in_the_forges_own_word() -> None:
    known, shouted = (
        load(STORED | {"workspace_method": "forgejo_token"}),
        load(STORED | {"workspace_method": "Forgejo Token"}),
    )

    assert known is not None
    assert known.workspace_method == "forgejo_token"
    assert shouted is not None
    assert shouted.workspace_method is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-08-01T12:30:15Z", NOW.replace(microsecond=0)),
        ("2026-08-01T14:30:15+02:00", NOW.replace(microsecond=0)),
        ("2026-08-01T12:30:15", None),
        ("2026-08-01", None),
        ("yesterday", None),
        ("0001-01-01T00:00:00+10:00", None),
        ("9999-12-31T23:59:59-10:00", None),
    ],
)
def test_a_time_is_read_when_it_says_its_offset(text: str, moment: datetime | None) -> None:
    read = load(STORED | {"captured_at": text})

    assert read is not None
    assert read.captured_at == moment


@requirement("credentials:snapshot:load")
def test_a_snapshot_is_read_from_its_text_as_well_and_others_fields_are_passed_over() -> None:
    text = json.dumps(STORED | {"extra": {"deep": [1]}})

    assert load(text) == MANAGED
    assert load(text.encode()) == MANAGED


def test_a_text_may_be_as_long_as_the_bound_and_no_longer() -> None:
    longest = json.dumps(STORED).ljust(MAX_TEXT_LENGTH)

    assert load(longest) == MANAGED
    assert load(longest + " ") is None


def test_a_field_may_be_as_long_as_the_bound() -> None:
    read = load(STORED | {"actor": "a" * MAX_FIELD_LENGTH})

    assert read is not None
    assert read.actor == "a" * MAX_FIELD_LENGTH


WORDS = st.from_regex(r"[a-z][a-z0-9_]{0,30}", fullmatch=True)
NAMES = st.text(min_size=1, max_size=40).filter(str.isprintable)
SNAPSHOTS = st.builds(
    CredentialSnapshot,
    policy=st.none() | st.sampled_from(Mode),
    source=st.just(Source.WORKSPACE),
    workspace_method=st.none() | WORDS,
    actor=NAMES,
    transport=st.none() | st.sampled_from(Transport),
    executor_type=st.none() | NAMES,
    captured_at=st.none() | st.datetimes(timezones=st.just(UTC)),
) | st.builds(
    CredentialSnapshot,
    policy=st.none() | st.sampled_from(Mode),
    source=st.sampled_from([Source.EXECUTOR, Source.EXECUTOR_PROFILE]),
    workspace_method=st.none(),
    actor=st.just(RUNTIME_SELECTED),
    transport=st.none() | st.sampled_from(Transport),
    executor_type=st.none() | NAMES,
    captured_at=st.none() | st.datetimes(timezones=st.just(UTC)),
)


@requirement("credentials:snapshot:load")
@given(SNAPSHOTS)
def test_any_snapshot_survives_its_storage(stored: CredentialSnapshot) -> None:
    assert load(stored.to_json()) == stored
    assert load(json.loads(json.dumps(stored.to_json()))) == stored
    assert load(json.dumps(stored.to_json())) == stored


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@requirement("credentials:snapshot:load")
@given(JSON | st.text(max_size=40) | st.binary(max_size=40), st.sampled_from([*STORED]))
def test_whatever_is_stored_nothing_is_raised_and_nobody_invented(value: object, name: str) -> None:
    for stored in (value, STORED | {name: value}):
        read = load(stored)
        if read is not None:
            assert read.actor in ("acme-bot", RUNTIME_SELECTED, value)
            assert load(read.to_json()) == read
