"""A request for a bundle says sources, and sessions only where they are asked for."""

import pytest

from domain.bundle import MIB, Source
from domain.bundle_request import (
    MAX_ID_BYTES,
    MAX_SESSIONS,
    BundleRequest,
    InvalidRequest,
    RequestFault,
    parse,
)
from domain.outcome import Failure, Success
from tests.requirements import requirement

SESSIONS = [f"session-{number}" for number in range(MAX_SESSIONS + 1)]


@requirement("bundle:request")
def test_the_order_of_a_request_does_not_matter() -> None:
    assert parse(["frontend", "backend"]) == parse(["backend", "frontend"])
    assert parse(["acp"], ["b", "a"]) == Success(BundleRequest((Source.ACP,), ("a", "b")))


@requirement("bundle:request")
def test_sessions_that_only_look_joined_are_another_request() -> None:
    assert parse(["acp"], ["a,b"]) != parse(["acp"], ["a", "b"])


@requirement("bundle:request")
@pytest.mark.parametrize(
    ("sources", "sessions"),
    [
        (["backend", "frontend", "runtime", "acp"], SESSIONS[:-1]),
        (["acp"], ["x" * MAX_ID_BYTES]),
    ],
)
def test_a_request_at_its_bounds_is_taken(sources: list[str], sessions: list[str]) -> None:
    assert parse(sources, sessions) == Success(
        BundleRequest(tuple(sorted(map(Source, sources))), tuple(sorted(sessions)))
    )


@requirement("bundle:request")
@pytest.mark.parametrize(
    ("sources", "sessions", "fault"),
    [
        ([], [], RequestFault.NO_SOURCE),
        (["backend", "frontend", "runtime", "acp", "db"], ["a"], RequestFault.UNKNOWN_SOURCE),
        (["db"], [], RequestFault.UNKNOWN_SOURCE),
        (["BACKEND"], [], RequestFault.UNKNOWN_SOURCE),
        (["backend", "backend"], [], RequestFault.REPEATED),
        (["backend"], ["a"], RequestFault.SESSIONS_WITHOUT_ACP),
        (["acp"], [], RequestFault.ACP_WITHOUT_SESSIONS),
        (["acp"], SESSIONS, RequestFault.TOO_MANY_SESSIONS),
        (["acp"], ["a", "a"], RequestFault.REPEATED),
        (["acp"], [""], RequestFault.BAD_SESSION),
        (["acp"], ["é" * (MAX_ID_BYTES // 2) + "x"], RequestFault.BAD_SESSION),
    ],
)
def test_a_request_that_means_nothing_is_refused(
    sources: list[str], sessions: list[str], fault: RequestFault
) -> None:
    assert parse(sources, sessions) == Failure(InvalidRequest(fault))


@requirement("bundle:job:disk")
def test_logs_of_the_backend_need_no_scratch_space() -> None:
    assert BundleRequest((Source.BACKEND,)).scratch_bytes == 0
    assert BundleRequest((Source.BACKEND, Source.FRONTEND)).scratch_bytes == 80 * MIB
    assert BundleRequest(tuple(Source), ("a",)).scratch_bytes == (48 + 2 + 96) * MIB
