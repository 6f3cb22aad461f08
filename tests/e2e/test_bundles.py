"""Diagnostic bundles over REST, from a running server."""

import asyncio
import io
import json
import zipfile
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from domain.log_retention import ACTIVE_NAME
from tests.e2e.kandev import SECONDS, Driver, Installation, Json, call, script
from tests.e2e.test_conversation import begin
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

BUNDLES = "/api/v1/diagnostics/bundles"
PLANTED = "ghp_0123456789abcdefghij0123456789abcd"
CHUNK: Json = {
    "browser_id": "b1",
    "capture_stream_id": "s1",
    "chunk_index": 0,
    "done": False,
    "storage_mode": "memory",
    "entries": [{"level": "error", "message": "first"}],
}


async def ask(driver: Driver, *sources: str, sessions: tuple[str, ...] = ()) -> Json:
    body: Json = {"sources": list(sources), "session_ids": list(sessions)}
    job: Json = await driver.client.post(BUNDLES, body)
    async with asyncio.timeout(SECONDS):
        while job["status"] in {"collecting", "building"}:
            await asyncio.sleep(0.02)
            job = await driver.client.get(f"{BUNDLES}/{job['id']}")
    return job


async def read(driver: Driver, url: str, method: str = "GET", **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await driver.client.http.request(method, url, headers=named)


@requirement("bundles:download")
async def test_a_bundle_of_the_backend_is_its_log(installation: Installation) -> None:
    async with installation.server() as driver:
        job = await ask(driver, "backend")
        answer = await read(driver, job["download_url"])
        manifest = (await read(driver, job["manifest_url"])).json()

    assert job["status"] == manifest["status"] == "ready"
    assert answer.headers["content-type"] == "application/zip"
    assert (len(answer.content), f"{zlib.crc32(answer.content):08x}") == (
        job["bytes"],
        job["crc32"],
    )
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["manifest.json", "backend/backend-logs.log"]
        assert json.loads(archive.read("manifest.json")) == manifest
        events = [
            json.loads(line)["event"] for line in archive.read(archive.namelist()[1]).splitlines()
        ]
    assert "serving" in events
    assert manifest["first_time"] <= manifest["last_time"]


@requirement("bundles:range")
async def test_a_part_of_a_bundle_is_the_slice_of_the_whole(installation: Installation) -> None:
    async with installation.server() as driver:
        job = await ask(driver, "backend")
        url, etag = job["download_url"], job["etag"]
        whole = (await read(driver, url)).content
        head = await read(driver, url, "HEAD")
        part = await read(driver, url, range="bytes=7-99")
        tail = await read(driver, url, range="bytes=-22")
        resumed = await read(driver, url, range="bytes=50-", if_range=etag)
        other = await read(driver, url, range="bytes=50-", if_range='"another"')
        beyond = await read(driver, url, range=f"bytes={len(whole)}-")
        known = await read(driver, url, if_none_match=etag)
        squeezed = await read(driver, url, accept_encoding="gzip")

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(whole))
    assert (head.headers["etag"], head.headers["accept-ranges"]) == (etag, "bytes")
    assert (part.status_code, part.content) == (206, whole[7:100])
    assert part.headers["content-range"] == f"bytes 7-99/{len(whole)}"
    assert tail.content == whole[-22:]
    assert (resumed.status_code, resumed.content) == (206, whole[50:])
    assert (other.status_code, other.content) == (200, whole)
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{len(whole)}")
    assert (known.status_code, known.content) == (304, b"")
    assert (squeezed.headers.get("content-encoding"), squeezed.content) == (None, whole)
    assert squeezed.headers["cache-control"] == "no-store, no-transform"


@requirement("bundles:entry")
async def test_one_entry_comes_without_the_rest(installation: Installation) -> None:
    async with installation.server() as driver:
        job = await ask(driver, "backend")
        place = f"{BUNDLES}/{job['id']}/entries"
        whole = (await read(driver, job["download_url"])).content
        entry = await read(driver, f"{place}/backend/backend-logs.log")
        part = await read(driver, f"{place}/backend/backend-logs.log", range="bytes=1-9")
        missing = await read(driver, f"{place}/backend/other.log")

    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        expected = archive.read("backend/backend-logs.log")
    assert entry.content == expected
    assert (part.status_code, part.content) == (206, expected[1:10])
    assert missing.status_code == 404


@requirement("bundles:download")
async def test_a_client_that_leaves_ends_its_reading_and_not_the_job(
    installation: Installation,
) -> None:
    async with installation.server() as driver:
        http = driver.client.http
        async with httpx2.AsyncClient(
            base_url=http.base_url, headers=http.headers, trust_env=False
        ) as leaving:
            made = await leaving.post(BUNDLES, json={"sources": ["backend"]})
        job = await ask(driver, "backend")
        async with http.stream("GET", job["download_url"]) as reading:
            await anext(reading.aiter_raw(16))
        whole = (await read(driver, job["download_url"])).content

    log = (installation.home / "logs" / ACTIVE_NAME).read_text(encoding="utf-8")
    assert (made.status_code, made.json()["id"]) == (201, job["id"])
    assert zipfile.ZipFile(io.BytesIO(whole)).testzip() is None
    assert '"level":"error"' not in log


@requirement("bundles:changed")
async def test_a_log_cut_from_outside_ends_the_download_early(installation: Installation) -> None:
    async with installation.server() as driver:
        job = await ask(driver, "backend")
        (installation.home / "logs" / "backend-logs.log").write_bytes(b"")
        with pytest.raises(httpx2.RemoteProtocolError):
            await read(driver, job["download_url"])
        ended = await driver.client.get(f"{BUNDLES}/{job['id']}")

    assert (ended["status"], ended["failure"]) == ("failed", "source_changed")


@requirement("bundles:frontend")
async def test_without_a_browser_the_frontend_is_a_warning(installation: Installation) -> None:
    async with installation.server() as driver:
        job = await ask(driver, "backend", "frontend")
        manifest = (await read(driver, job["manifest_url"])).json()

    codes = {warning["code"] for warning in manifest["warnings"]}
    assert job["status"] == "partial"
    assert {"frontend_no_connection", "frontend_missing"} == codes
    assert manifest["included_sources"] == ["backend"]
    assert manifest["capture"]["targeted"] == 0


@requirement("bundle:capture:asked")
@requirement("bundle:capture:order")
@requirement("bundle:capture:owner")
async def test_a_scripted_browser_brings_its_log(installation: Installation) -> None:
    chunk = CHUNK
    last = {**chunk, "chunk_index": 1, "done": True, "entries": [], "capture_metadata": {"n": 1}}
    answers: list[int] = []
    async with installation.server() as driver:
        http = driver.client.http
        quiet = await ask(driver, "backend")
        async with http.stream("GET", "/api/v1/diagnostics/capture-requests") as heard:
            lines = heard.aiter_lines()
            await anext(lines)
            job: Json = await driver.client.post(BUNDLES, {"sources": ["frontend"]})
            place = f"{BUNDLES}/{job['id']}/frontend"
            asked = [line async for line in until(lines, "data: ")]
            for body in (
                {**chunk, "more": 1},
                {**chunk, "entries": {"not": "array"}},
                chunk,
                {**chunk, "capture_stream_id": "s2", "entries": {"not": "array"}},
                {**chunk, "chunk_index": 2},
                last,
            ):
                answers.append((await http.post(place, json=body)).status_code)
        job = await ask(driver, "frontend")
        late = await http.post(place, json=chunk)
        entry = await read(driver, f"{BUNDLES}/{job['id']}/entries/frontend/browser-01.jsonl")
        manifest = (await read(driver, job["manifest_url"])).json()

    assert json.loads(asked[-1].removeprefix("data: "))["bundle_id"] == job["id"] != quiet["id"]
    assert answers == [400, 400, 204, 204, 400, 204]
    assert (job["status"], late.status_code) == ("ready", 409)
    assert entry.content == b'{"level":"error","message":"first"}\n'
    assert manifest["capture"]["profiles"][0]["metadata"] == {"n": 1}


async def until(lines: AsyncIterator[str], start: str) -> AsyncIterator[str]:
    """The lines up to the first with this beginning."""
    async for line in lines:
        yield line
        if line.startswith(start):
            return


@requirement("bundles:redacted")
async def test_no_secret_is_in_a_bundle_of_everything(
    installation: Installation, checkout: Path
) -> None:
    async with installation.server() as driver:
        session = await begin(driver, checkout)
        await driver.prompt(session, script(call("message", f"the token is {PLANTED}")))
        await driver.until(session, "complete")
        await driver.client.http.get(f"/api/v1/tasks/{PLANTED}")
        job = await ask(driver, "backend", "runtime", "acp", sessions=(session,))
        content = (await read(driver, job["download_url"])).content
        manifest = (await read(driver, job["manifest_url"])).json()

    assert PLANTED.encode() not in content
    assert b"Try it" not in content
    assert str(installation.home).encode() not in json.dumps(manifest).encode()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        [row] = json.loads(archive.read("runtime/sessions.json"))
        said = [json.loads(line) for line in archive.read("acp/session-01.jsonl").splitlines()]
    assert row["session"] == session
    assert [event["sequence"] for event in said] == list(range(1, len(said) + 1))
    assert "the token is [REDACTED]" in [event["body"].get("text") for event in said]


@requirement("bundles:acp:unknown")
async def test_a_session_that_is_not_there_is_a_warning(installation: Installation) -> None:
    async with installation.server() as driver:
        job = await ask(driver, "acp", sessions=("ses_none",))
        manifest = (await read(driver, job["manifest_url"])).json()

    assert job["status"] == "partial"
    assert {warning["code"] for warning in manifest["warnings"]} == {
        "acp_missing",
        "acp_session_unavailable",
    }


@requirement("bundles:refused")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"sources": []}, "no_source"),
        ({"sources": ["all"]}, "unknown_source"),
        ({"sources": ["acp"]}, "acp_without_sessions"),
        ({"sources": ["backend"], "path": "/"}, "invalid_request"),
        ({}, "invalid_request"),
    ],
)
async def test_a_request_that_is_none_is_refused(
    installation: Installation, body: Json, code: str
) -> None:
    async with installation.server() as driver:
        answer = await driver.client.http.post(BUNDLES, json=body)
        unknown = await read(driver, f"{BUNDLES}/{'0' * 32}")

    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert (unknown.status_code, unknown.json()["code"]) == (404, "bundle_not_found")


@requirement("bundles:refused")
async def test_a_body_at_its_bound_is_read_and_one_byte_more_is_not(
    installation: Installation,
) -> None:
    asked, chunk = json.dumps({"sources": ["backend"]}), json.dumps(CHUNK)
    place = f"{BUNDLES}/{'0' * 32}/frontend"
    bodies = [
        (BUNDLES, asked.ljust(8 * 1024)),
        (BUNDLES, asked.ljust(8 * 1024 + 1)),
        (BUNDLES, asked * 2),
        (place, chunk.ljust(1024 * 1024)),
        (place, chunk.ljust(1024 * 1024 + 1)),
    ]
    headers = {"content-type": "application/json"}
    async with installation.server() as driver:
        answers = [
            (await driver.client.http.post(url, content=body, headers=headers)).status_code
            for url, body in bodies
        ]

    assert answers == [201, 413, 400, 404, 413]
