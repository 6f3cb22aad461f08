"""The manifest says what is there and what is not, and nothing about who and where."""

import json
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from domain import bundle_plan
from domain.bundle import (
    ARCHIVE_BYTES,
    BACKEND_BYTES,
    FRONTEND_BYTES,
    MANIFEST_BYTES,
    MANIFEST_NAME,
    RUNTIME_BYTES,
    Source,
    frontend_name,
)
from domain.bundle_manifest import (
    Capture,
    Caveat,
    Code,
    Evidence,
    Loss,
    Manifest,
    Product,
    Profile,
)
from domain.bundle_plan import OverCap
from domain.outcome import failed
from domain.zip_layout import EntrySlice, NameCollision
from tests.requirements import requirement

NOON = datetime(2026, 7, 29, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=15)

LOG = Evidence(
    source=Source.BACKEND,
    name="backend/backend-logs.log",
    size=100,
    offset=40,
    length=60,
    crc32=0x00ABCDEF,
    modified=NOON,
    first_time=NOON - timedelta(hours=2),
    last_time=NOON - timedelta(hours=1),
)
BROWSER = Evidence(Source.FRONTEND, frontend_name(1), 9, 0, 9, 7, NOON, records=2)
READY = Manifest(
    created_at=NOON,
    expires_at=LATER,
    product=Product("1.2.3", "abc123", "linux", "x86_64"),
    requested=(Source.BACKEND,),
    evidence=(replace(LOG, size=60, offset=0),),
)


@requirement("bundle:manifest:shape")
def test_the_manifest_has_a_stable_shape() -> None:
    manifest = replace(
        READY,
        requested=(Source.BACKEND, Source.FRONTEND),
        evidence=(LOG, BROWSER),
        omitted_bytes={Source.BACKEND: 40},
        losses=(Loss("file", "info", "capacity", 3), Loss("file", "warn", "capacity", 0)),
        redactions={"file": 5},
        capture=Capture(
            2, (Profile(frontend_name(1), 2, complete=True, limited=False),), ignored=1
        ),
    )

    assert manifest.to_json() == {
        "schema_version": 1,
        "status": "partial",
        "created_at": "2026-07-29T12:00:00+00:00",
        "expires_at": "2026-07-29T12:15:00+00:00",
        "generated_by": {
            "version": "1.2.3",
            "commit": "abc123",
            "system": "linux",
            "architecture": "x86_64",
        },
        "requested_sources": ["backend", "frontend"],
        "included_sources": ["backend", "frontend"],
        "entries": [
            {
                "name": "backend/backend-logs.log",
                "source": "backend",
                "size": 100,
                "offset": 40,
                "length": 60,
                "crc32": "00abcdef",
                "records": None,
                "first_time": "2026-07-29T10:00:00+00:00",
                "last_time": "2026-07-29T11:00:00+00:00",
            },
            {
                "name": "frontend/browser-01.jsonl",
                "source": "frontend",
                "size": 9,
                "offset": 0,
                "length": 9,
                "crc32": "00000007",
                "records": 2,
                "first_time": None,
                "last_time": None,
            },
        ],
        "omitted_bytes": 40,
        "first_time": "2026-07-29T10:00:00+00:00",
        "last_time": "2026-07-29T11:00:00+00:00",
        "losses": {"file": {"info": {"capacity": 3}}},
        "redactions": {"file": 5},
        "capture": {
            "targeted": 2,
            "responded": 1,
            "timed_out": 0,
            "ignored": 1,
            "refused": 0,
            "profiles": [
                {
                    "name": "frontend/browser-01.jsonl",
                    "records": 2,
                    "complete": True,
                    "limited": False,
                    "storage_mode": None,
                    "metadata": None,
                }
            ],
        },
        "warnings": [
            {"code": "backend_truncated", "source": "backend", "detail": "40"},
            {"code": "backend_queue_loss", "source": "backend", "detail": "3"},
        ],
    }


@requirement("bundle:manifest:ready")
def test_a_bundle_that_lacks_nothing_is_ready() -> None:
    assert not READY.partial
    assert READY.to_json()["status"] == "ready"
    assert READY.to_json()["warnings"] == []


OMISSIONS: dict[str, tuple[dict[str, object], Caveat]] = {
    "no log": ({"evidence": ()}, Caveat(Code.BACKEND_MISSING, Source.BACKEND)),
    "a cut log": (
        {"omitted_bytes": {Source.BACKEND: 1}},
        Caveat(Code.BACKEND_TRUNCATED, Source.BACKEND, "1"),
    ),
    "a lost entry": (
        {"losses": (Loss("console", "debug", "capacity", 2), Loss("file", "warn", "write", 1))},
        Caveat(Code.BACKEND_QUEUE_LOSS, Source.BACKEND, "3"),
    ),
    "no sessions": (
        {"requested": (Source.BACKEND, Source.RUNTIME)},
        Caveat(Code.RUNTIME_MISSING, Source.RUNTIME),
    ),
    "no browser": ({"capture": Capture(0)}, Caveat(Code.FRONTEND_NO_CONNECTION, Source.FRONTEND)),
    "a browser that did not finish": (
        {"capture": Capture(1, (Profile("frontend/a", 3, complete=False, limited=False),))},
        Caveat(Code.FRONTEND_INCOMPLETE, Source.FRONTEND, "frontend/a"),
    ),
    "a browser at its bound": (
        {"capture": Capture(1, (Profile("frontend/a", 3, complete=True, limited=True),))},
        Caveat(Code.FRONTEND_TRUNCATED, Source.FRONTEND, "frontend/a"),
    ),
    "a browser too many": (
        {"capture": Capture(5, refused=1)},
        Caveat(Code.FRONTEND_PROFILE_LIMIT, Source.FRONTEND, "1"),
    ),
    "something seen on the way": (
        {"noticed": (Caveat(Code.BACKEND_FILE_NOT_REGULAR, Source.BACKEND, "backend-logs.log"),)},
        Caveat(Code.BACKEND_FILE_NOT_REGULAR, Source.BACKEND, "backend-logs.log"),
    ),
}


@requirement("bundle:manifest:partial")
@pytest.mark.parametrize("case", OMISSIONS)
def test_any_omission_makes_a_bundle_partial_and_is_named(case: str) -> None:
    changes, caveat = OMISSIONS[case]
    manifest = replace(READY, **changes)  # type: ignore[arg-type]  # the table holds fields of several types

    assert manifest.partial
    assert manifest.caveats == (caveat,)


@requirement("bundle:manifest:partial")
def test_entries_that_a_sink_lost_are_no_matter_of_a_bundle_without_its_log() -> None:
    manifest = replace(
        READY,
        requested=(Source.FRONTEND,),
        evidence=(BROWSER,),
        losses=(Loss("file", "info", "capacity", 3),),
        capture=Capture(1, (Profile(BROWSER.name, 2, complete=True, limited=False),)),
    )

    assert not manifest.partial
    assert manifest.to_json()["losses"] == {"file": {"info": {"capacity": 3}}}


@requirement("bundle:manifest:bound")
def test_a_manifest_over_its_bound_says_how_many_instead_of_which() -> None:
    noticed = Caveat(Code.ACP_SESSION_UNAVAILABLE, Source.ACP, "x" * 1000)
    small = replace(READY, noticed=(noticed,) * 10)
    large = replace(READY, noticed=(noticed,) * 300, evidence=(LOG, BROWSER, BROWSER))

    assert json.loads(small.encode()) == small.to_json()
    assert json.loads(large.encode()) == large.counts()
    assert len(large.encode()) <= MANIFEST_BYTES
    assert large.counts()["entries"] == {"backend": 1, "frontend": 2}
    assert large.counts()["warnings"] == {"acp_session_unavailable": 300}


@requirement("bundle:manifest:bound")
def test_a_manifest_of_exactly_its_bound_is_whole() -> None:
    def padded(size: int) -> Manifest:
        return replace(READY, noticed=(Caveat(Code.ACP_TRUNCATED, Source.ACP, "x" * size),))

    room = MANIFEST_BYTES - len(padded(0).encode())

    assert len(padded(room).encode()) == MANIFEST_BYTES
    assert json.loads(padded(room + 1).encode()) == padded(room + 1).counts()


@requirement("bundle:manifest:first")
def test_the_manifest_is_the_first_entry_and_evidence_follows_in_order() -> None:
    manifest = replace(READY, evidence=(LOG, BROWSER))
    planned = bundle_plan.plan(manifest)
    assert not failed(planned)
    plan = planned.unwrap()

    assert [entry.name for entry in plan.archive.entries] == [MANIFEST_NAME, LOG.name, BROWSER.name]
    assert plan.manifest == manifest.encode()
    assert plan.archive.entries[0].crc32 == zlib.crc32(plan.manifest)
    assert [
        part for part in plan.archive.slices(0, plan.archive.length) if isinstance(part, EntrySlice)
    ] == [
        EntrySlice(0, 0, len(plan.manifest)),
        EntrySlice(1, 0, LOG.length),
        EntrySlice(2, 0, BROWSER.length),
    ]
    assert bundle_plan.plan(manifest) == planned


@requirement("bundle:archive:cap")
def test_full_budgets_are_within_the_cap() -> None:
    full = (
        replace(LOG, length=BACKEND_BYTES),
        replace(BROWSER, length=FRONTEND_BYTES),
        Evidence(Source.RUNTIME, "runtime/sessions.json", 0, 0, RUNTIME_BYTES, 0, NOON),
    )
    planned = bundle_plan.plan(replace(READY, evidence=full))
    assert not failed(planned)

    assert planned.unwrap().archive.length < ARCHIVE_BYTES


@requirement("bundle:archive:cap")
def test_an_archive_at_the_cap_is_planned_and_a_byte_more_is_refused() -> None:
    length = bundle_plan.plan(READY).map(lambda plan: plan.archive.length).unwrap()

    assert not failed(bundle_plan.plan(READY, cap=length))
    refused = bundle_plan.plan(READY, cap=length - 1)
    assert failed(refused)
    assert refused.failure() == OverCap(length)


@requirement("bundle:archive:name")
def test_evidence_cannot_take_the_place_of_the_manifest() -> None:
    refused = bundle_plan.plan(replace(READY, evidence=(replace(LOG, name="Manifest.JSON"),)))

    assert failed(refused)
    assert refused.failure() == NameCollision(1, 0)


@requirement("bundle:manifest:private")
def test_no_field_of_a_manifest_could_hold_an_identity_a_path_or_a_title() -> None:
    private = ("user", "owner", "path", "title", "task", "session", "home", "host")
    names = _names(READY.to_json())

    assert [name for name in names if any(word in name for word in private)] == []


def _names(value: object) -> set[str]:
    match value:
        case dict():
            return set(value).union(*map(_names, value.values()))
        case list():
            return set().union(*map(_names, value))
        case _:
            return set()
