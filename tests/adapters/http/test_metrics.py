"""`/metrics`: what a scraper with the token reads."""

import pytest

from domain.metrics import MEDIA_TYPE
from tests.adapters.http.conftest import Web
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def scraped(web: Web) -> dict[str, float]:
    answer = await web.client.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == f"{MEDIA_TYPE}; charset=utf-8"
    lines = [line.rpartition(" ") for line in answer.text.splitlines() if line[0] != "#"]
    return {name: float(value) for name, _, value in lines}


@requirement("rest:metrics")
async def test_what_is_stored_is_counted_by_state(web: Web) -> None:
    await web.session()
    archived = await web.task(await web.workspace())
    await web.ok("POST", f"/api/v1/tasks/{archived['id']}/archive")

    measured = await scraped(web)

    assert measured['kandev_tasks{state="open"}'] == 1
    assert measured['kandev_tasks{state="archived"}'] == 1
    assert measured['kandev_sessions{state="idle"}'] == 1
    assert measured['kandev_sessions{state="failed"}'] == 0
    assert measured['kandev_executions{state="live"}'] == 1
    assert measured["kandev_outbox_events"] == 3


@requirement("rest:metrics")
async def test_every_answer_and_every_refusal_is_counted(web: Web) -> None:
    await web.client.get("/health")
    await web.client.get("/health")
    await web.client.get("/health", headers={"host": "evil.example"})
    await web.client.request("BREW", "/health")
    await web.client.get("/metrics", headers={"authorization": "Bearer no"})

    measured = await scraped(web)

    requests = {
        name: count for name, count in measured.items() if name.startswith("kandev_http_requests")
    }
    assert requests == {
        'kandev_http_requests_total{method="GET",status="200"}': 2,
        'kandev_http_requests_total{method="GET",status="401"}': 1,
        'kandev_http_requests_total{method="GET",status="403"}': 1,
        'kandev_http_requests_total{method="other",status="405"}': 1,
    }


@requirement("rest:metrics")
async def test_the_server_tells_what_it_uses(web: Web) -> None:
    measured = await scraped(web)

    assert measured["process_cpu_seconds_total"] > 0
    assert measured["process_resident_memory_bytes"] > 1024**2
    assert measured["process_open_fds"] >= 3
