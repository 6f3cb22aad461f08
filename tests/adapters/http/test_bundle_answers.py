"""How a problem of a bundle is answered."""

from typing import Any, cast

import pytest

from adapters.http.bundle_answers import BundleProblem, BundleRefusalError, on_bundle_refusal
from domain.access import NotFound
from domain.bundle_job import Busy, BusyReason, Gone, JobState, NotReady, UnknownJob
from domain.bundle_request import InvalidRequest, RequestFault
from tests.requirements import requirement

NO_REQUEST = cast("Any", None)


@requirement("bundles:busy")
@pytest.mark.parametrize(
    ("problem", "status", "code", "retry_after"),
    [
        (Busy(BusyReason.IDENTITY), 429, "identity_busy", "5"),
        (Busy(BusyReason.PROCESS), 503, "saturated", "5"),
        (Busy(BusyReason.DISK), 503, "no_space", "5"),
        (UnknownJob(), 404, "bundle_not_found", None),
        (NotFound("bundle"), 404, "bundle_not_found", None),
        (Gone(), 410, "bundle_expired", None),
        (NotReady(JobState.BUILDING), 409, "bundle_not_ready", None),
        (InvalidRequest(RequestFault.REPEATED), 400, "repeated", None),
    ],
)
def test_a_problem_has_a_status_a_code_and_when_to_come_again(
    problem: BundleProblem, status: int, code: str, retry_after: str | None
) -> None:
    answer = on_bundle_refusal(NO_REQUEST, BundleRefusalError(problem))

    assert (answer.status_code, answer.content.code) == (status, code)
    assert answer.headers.get("retry-after") == retry_after
