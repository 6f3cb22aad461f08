"""A connection's token, said in every encoding, in every place that keeps what it hears."""

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest

from adapters.forge.forge import Forge
from tests.e2e.conftest import TOKEN
from tests.e2e.connected import connect
from tests.e2e.kandev import Driver, Installation, call, script
from tests.e2e.test_bundles import BUNDLES, ask, read, until
from tests.e2e.test_error_reports import REPORT, REPORTS
from tests.e2e.test_mcp import client_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


def encoded(token: str) -> tuple[str, ...]:
    """The token as programs show it: base64 at each alignment and in both alphabets, and quoted."""
    shifted = [f"{'x' * shift}{token}".encode() for shift in range(3)]
    return (
        token,
        *(base64.b64encode(each).decode() for each in shifted),
        *(base64.urlsafe_b64encode(each).decode() for each in shifted),
        quote(token, safe=""),
        "".join(f"%{byte:02X}" for byte in token.encode()),
    )


FORMS: Final = encoded(TOKEN)
SHOWN: Final = {form.strip("=")[4:-4] for form in FORMS}
"""What of each form belongs to the token alone, whatever stood beside it."""


def found_in(content: bytes) -> set[str]:
    return {form for form in SHOWN if form.encode() in content}


def kept(home: Path) -> dict[str, set[str]]:
    """The files of a home in which the token is found."""
    found = {path.name: found_in(path.read_bytes()) for path in home.rglob("*") if path.is_file()}
    return {name: forms for name, forms in found.items() if forms}


async def capture(driver: Driver, said: str) -> dict[str, Any]:
    """A job for everything, for which a browser brings what was said in its page."""
    chunk = {
        "browser_id": "b1",
        "capture_stream_id": "s1",
        "chunk_index": 0,
        "done": True,
        "storage_mode": "memory",
        "entries": [{"level": "error", "message": said}],
    }
    http = driver.client.http
    async with http.stream("GET", "/api/v1/diagnostics/capture-requests") as heard:
        lines = heard.aiter_lines()
        await anext(lines)
        job: dict[str, Any] = await driver.client.post(BUNDLES, {"sources": ["frontend"]})
        _ = [line async for line in until(lines, "data: ")]
        answer = await http.post(f"{BUNDLES}/{job['id']}/frontend", json=chunk)
    assert answer.status_code == 204
    return await ask(driver, "frontend")


@requirement("redaction:everywhere")
async def test_a_planted_token_is_kept_nowhere_in_any_encoding(
    installation: Installation, forge: Forge
) -> None:
    said = " ".join(FORMS)
    async with installation.server() as driver:
        await connect(driver, forge, TOKEN, mode="managed")
        task = await driver.task(await driver.repository({"clone_url": forge.url("acme/app")}))
        session = (await driver.launch(task))["id"]
        events = await driver.turn(
            session,
            script(
                call("message", said),
                call("thinking", said),
                call("plan", [{"content": said, "priority": "high", "status": "pending"}]),
                call("tool_use", said, {"said": said}, "read"),
                call("run", f"echo '{said}'"),
                call("noise", said),
                call("stderr", said),
            ),
        )
        await driver.client.http.get(f"/api/v1/tasks/{FORMS[0]}?q={FORMS[-1]}")
        await driver.client.http.post(REPORTS, json={**REPORT, "title": said[:4000]})
        async with client_of(driver) as client:
            pair = {"task_id": task, "session_id": session}
            told = await client.call_tool("get_conversation_kandev", pair)
        captured = await capture(driver, said)
        job = await ask(driver, "backend", "runtime", "acp", sessions=(session,))
        bundles = [(await read(driver, each["download_url"])).content for each in (captured, job)]
        manifests = [(await read(driver, each["manifest_url"])).json() for each in (captured, job)]

    kinds = {event["kind"] for event in events}
    assert {"message_chunk", "reasoning", "plan", "tool_call", "noise"} <= kinds
    assert found_in(json.dumps(events).encode()) == set()
    assert found_in(str(told).encode()) == set()
    for bundle in bundles:
        with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
            assert archive.testzip() is None
        assert found_in(bundle) == set()
    assert manifests[0]["redactions"]["frontend"] == len(FORMS)
    assert manifests[1]["redactions"]["acp"] >= len(FORMS)
    assert manifests[1]["redactions"]["backend"] >= len(FORMS)
    assert kept(installation.home) == {}
