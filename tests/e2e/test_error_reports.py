"""Errors that a page reports, as they stand in the log of a running server."""

import json
from typing import Any

import pytest

from tests.e2e.kandev import Installation
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

REPORTS = "/api/v1/diagnostics/frontend-errors"
REPORT: dict[str, Any] = {
    "source": "sonner",
    "client_timestamp": "2026-12-01T10:00:00.5Z",
    "title": "It broke\nlevel=fatal",
    "url": "http://u:p@h/a?token=s#f",
    "viewport": {"width": 800, "height": 600},
    "error": {"name": "TypeError", "message": "the token is ghp_0123456789abcdefghij0123456789"},
}


def logged(installation: Installation) -> list[dict[str, Any]]:
    lines = (installation.home / "logs" / "backend-logs.log").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    return [entry for entry in entries if entry["event"] == "frontend error toast"]


@requirement("reports:logged")
async def test_a_report_is_one_entry_with_the_words_of_the_client_in_fields(
    installation: Installation,
) -> None:
    async with installation.server() as driver:
        answer = await driver.client.http.post(REPORTS, json=REPORT)

    [entry] = logged(installation)
    assert (answer.status_code, answer.content) == (204, b"")
    assert (entry["level"], entry["title"]) == ("error", "It broke\nlevel=fatal")
    assert (entry["url"], entry["viewport_width"], entry["truncated"]) == ("http://h/a", 800, False)
    assert entry["error_message"] == "the token is [REDACTED]"
    assert entry["reporting_user_id"] == "owner"


@requirement("reports:refused")
async def test_what_is_no_report_is_refused_and_not_logged(installation: Installation) -> None:
    bodies = [
        "{",
        json.dumps({**REPORT, "source": "other"}),
        json.dumps({**REPORT, "title": " ", "description": ""}),
        json.dumps({**REPORT, "client_timestamp": "yesterday"}),
        json.dumps({**REPORT, "client_timestamp": "2026-12-01T10:00:00"}),
        json.dumps({**REPORT, "level": "fatal"}),
        json.dumps(REPORT) * 2,
    ]
    headers = {"content-type": "application/json"}
    async with installation.server() as driver:
        http = driver.client.http
        codes = [
            (await http.post(REPORTS, content=body, headers=headers)).status_code for body in bodies
        ]

    assert codes == [400] * len(bodies)
    assert logged(installation) == []


@requirement("reports:refused")
async def test_a_report_has_at_most_64_kib(installation: Installation) -> None:
    padding = "x" * (65_536 - len(json.dumps({**REPORT, "stack": ""})))
    whole = json.dumps({**REPORT, "stack": padding})
    headers = {"content-type": "application/json"}
    async with installation.server() as driver:
        http = driver.client.http
        too_long = await http.post(REPORTS, content=whole + " ", headers=headers)
        exact = await http.post(REPORTS, content=whole, headers=headers)

    assert len(whole) == 65_536
    assert (too_long.status_code, exact.status_code) == (413, 204)
    [entry] = logged(installation)
    assert (entry["truncated"], len(entry["stack"])) == (True, 16 * 1024)


@requirement("reports:rate")
async def test_the_twenty_first_report_at_once_is_told_when_to_come_again(
    installation: Installation,
) -> None:
    async with installation.server() as driver:
        answers = [await driver.client.http.post(REPORTS, json=REPORT) for _ in range(40)]

    refused = [answer for answer in answers if answer.status_code == 429]
    assert [answer.status_code for answer in answers[:20]] == [204] * 20
    assert refused
    assert {answer.headers["retry-after"] for answer in refused} == {"1"}
    assert len(logged(installation)) == 40 - len(refused)
