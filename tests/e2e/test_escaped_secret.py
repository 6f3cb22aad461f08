"""A secret that every literal escapes, deep in what an agent, a page and our own log say."""

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
import structlog

from domain.redaction import MASK
from tests.e2e.kandev import Driver, Installation, Json, call, script
from tests.e2e.test_bundles import BUNDLES, ask, read
from tests.e2e.test_error_reports import REPORT, REPORTS
from tests.e2e.test_mcp import client_of, ok
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

SECRET = 'k9/Zq+7"~X\\v2%mé&tW4-Lp'
"""What every encoding writes differently; no shape betrays it."""


def forms() -> dict[str, str]:
    """How it may be written; `pass:` and the like shift base64 to its other alignments."""
    encodings = {"base64": base64.b64encode, "urlsafe": base64.urlsafe_b64encode}
    return {
        "raw": SECRET,
        "JSON": json.dumps(SECRET),
        "JSON, not ASCII": json.dumps(SECRET, ensure_ascii=False),
        "JSON in JSON": json.dumps(json.dumps(SECRET)),
        "URL": quote(SECRET, safe=""),
        "form": quote_plus(SECRET),
        **{
            f"{name} after {len(ahead)}": encode((ahead + SECRET).encode()).decode()
            for name, encode in encodings.items()
            for ahead in ("", "u", "u:")
        },
    }


def traces() -> Iterator[bytes]:
    """What stands in the bytes of anything that holds the secret, whole or but for its ends."""
    for form in forms().values():
        text = form.encode()
        for shown in (text, json.dumps(form)[1:-1].encode()):
            yield shown.strip(b'"\\')[4:-4]


def found_in(content: bytes) -> list[bytes]:
    return [trace for trace in traces() if trace in content]


def chunk(entries: list[Json]) -> Json:
    return {
        "browser_id": "b1",
        "capture_stream_id": "s1",
        "chunk_index": 0,
        "done": True,
        "storage_mode": "memory",
        "entries": entries,
        "capture_metadata": {"said": SECRET},
    }


def said_by_the_agent(form: str) -> list[str]:
    half = len(form) // 2
    return [
        call("message", f"said {form} so\n"),
        call("message", form[:half]),
        call("message", f"{form[half:]}\n"),
        call("thinking", f"thought {form}\n"),
        call("plan", [{"content": form, "priority": "high", "status": "pending"}]),
        call("tool_use", f"use {form}", {"argument": form, form: ["deep", {"in": form}]}),
        call("mcp:kandev:get_task_kandev", {"task_id": form}),
        call("stderr", form),
    ]


async def leave_traces(driver: Driver, session: str) -> tuple[Json, list[Json]]:
    """Everything that an agent, a page and we ourselves can say, in every form."""
    http, log = driver.client.http, structlog.get_logger()
    for name, form in forms().items():
        log.info(form, form=name)
        log.warning("field", said=form, deep={"list": [form], form: 1})
        try:
            int(form)
        except ValueError:
            log.exception("raised")
        report = {**REPORT, "title": form, "stack": form, "error": {"message": form}}
        assert (await http.post(REPORTS, json=report)).status_code == 204
    directives = [each for form in forms().values() for each in said_by_the_agent(form)]
    command = 'printf "%s\\n" "$DEPLOY_WORD"; printf %s "$DEPLOY_WORD" | base64'
    directives += [call("run", command), call("crash", 3)]
    await driver.prompt(session, script(*directives))
    events = await driver.until(session, "complete")
    return await captured(driver, session), events


async def captured(driver: Driver, session: str) -> Json:
    """A bundle of everything, with what a browser brought."""
    sources = ["backend", "frontend", "runtime", "acp"]
    http = driver.client.http
    async with http.stream("GET", "/api/v1/diagnostics/capture-requests") as heard:
        lines = heard.aiter_lines()
        await anext(lines)
        body = {"sources": sources, "session_ids": [session]}
        job: Json = await driver.client.post(BUNDLES, body)
        entries = [
            {"level": "error", "message": form, "args": [{"deep": form}]}
            for form in forms().values()
        ]
        brought = await http.post(f"{BUNDLES}/{job['id']}/frontend", json=chunk(entries))
        assert brought.status_code == 204, brought.text
    return await ask(driver, *sources, sessions=(session,))


@requirement("redaction:everywhere")
async def test_a_secret_full_of_quotes_is_found_in_no_evidence(
    installation: Installation, checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with installation.server() as driver:
        workspace = await driver.workspace_of()
        profile: dict[str, Any] = await driver.client.post(
            "/api/v1/executor-profiles",
            {"workspace_id": workspace, "name": "Here", "secrets": {"DEPLOY_WORD": SECRET}},
        )
        task = await driver.task(await driver.repository({"local_path": str(checkout)}))
        session = (await driver.launch(task, executor_profile_id=profile["id"]))["id"]
        job, events = await leave_traces(driver, session)
        content = (await read(driver, job["download_url"])).content
        manifest = (await read(driver, job["manifest_url"])).json()
        async with client_of(driver) as client:
            told = await ok(client, "get_conversation", task_id=task, session_id=session)

    shown = {
        "events": json.dumps(events).encode(),
        "tool": json.dumps(told, ensure_ascii=False).encode(),
        "manifest": json.dumps(manifest).encode(),
        "output": "".join(capfd.readouterr()).encode(),
        "archive": content,
    }
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        shown |= {name: archive.read(name) for name in archive.namelist()}
    files = [each for each in installation.home.rglob("*") if each.is_file()]
    shown |= {each.name: each.read_bytes() for each in files}

    assert {name: found for name, data in shown.items() if (found := found_in(data))} == {}
    counted = manifest["redactions"]
    for source in ("backend", "frontend", "acp"):
        assert counted[source] >= len(forms()), source
    assert sum(MASK.encode() in data for data in shown.values()) >= 5
