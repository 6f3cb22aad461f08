"""The tool that delivers a bundle, as an agent's client meets it."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no stubs
import pytest
from dependency_injector import providers

from adapters.bundles.desk import BundleDesk
from adapters.mcp.evidence import answer
from adapters.mcp.toolbox import INSIDE
from domain.bundle import Source
from domain.bundle_job import JobState
from domain.bundle_path import BundleId
from domain.bundle_request import BundleRequest
from domain.identity import UserId
from domain.principal import Execution
from pipelines.deliver_bundle import BundleDelivery
from ports.bundle_sink import Delivered
from tests.adapters.mcp.conftest import Tools, tools_for
from tests.fakes.bundle_sink import FakeBundleSink
from tests.pipelines.plane import Plane, handle
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

NAME = "get_diagnostic_bundle"


@dataclass
class Inside:
    tools: Tools
    sink: FakeBundleSink
    desk: BundleDesk
    told: list[str] = field(default_factory=list)

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.told.append(message or "")


@pytest.fixture
async def inside(plane: Plane) -> AsyncIterator[Inside]:
    sink = FakeBundleSink()
    plane.container.home().tmp.mkdir()
    plane.container.bundle_sink.override(providers.Object(sink))
    session = await plane.running()
    sink.alive.add(handle(session))
    assert session.execution is not None
    agent = Execution(session.execution, session.task, session.id)
    desk: BundleDesk = plane.container.bundles()
    async with desk, tools_for(plane, agent) as tools:
        yield Inside(tools, sink, desk)


@requirement("bundle:tool:schema")
async def test_it_takes_a_source_and_nothing_else(inside: Inside) -> None:
    offered = (await inside.tools.client.list_tools()).tools
    (tool,) = [each for each in offered if each.name == f"{NAME}_kandev"]

    schema = tool.input_schema
    assert list(schema["properties"]) == schema["required"] == ["source"]
    assert schema["properties"]["source"]["enum"] == ["backend", "frontend", "all"]
    assert schema["additionalProperties"] is False


@requirement("bundle:tool:schema")
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"source": "db"},
        {"source": "runtime"},
        {"source": "acp"},
        {"source": 1},
        {"source": "all", "path": "/x"},
        *({"source": "backend", name: "x"} for name in ("task_id", "session_id", "user", "token")),
    ],
)
async def test_other_arguments_are_an_error_before_there_is_a_job(
    inside: Inside, arguments: dict[str, Any]
) -> None:
    text = await inside.tools.refused(NAME, **arguments)

    assert text.startswith("invalid arguments for get_diagnostic_bundle_kandev")
    assert inside.desk.jobs == ()
    assert inside.sink.calls == []


@requirement("bundle:tool:result")
@requirement("bundle:tool:waits")
@requirement("mcp:schemas")
async def test_the_answer_says_where_it_is_and_what_it_lacks(inside: Inside) -> None:
    client = inside.tools.client

    called = await client.call_tool(
        f"{NAME}_kandev", {"source": "frontend"}, progress_callback=inside.progress
    )

    given = called.structured_content
    assert given is not None
    schema = INSIDE[f"{NAME}_kandev"].described().output_schema
    jsonschema.validate(given, schema or {}, cls=jsonschema.Draft202012Validator)
    ((placed, bundle),) = inside.sink.placed
    assert given["bundle_id"] == bundle
    assert given["path"] == f".kandev/diagnostics/{bundle}.zip"
    assert given["absolute_path"].endswith(f"{placed.execution}/{given['path']}")
    assert given["bytes"] == len(inside.sink.placed[placed, bundle])
    assert (given["status"], given["age_seconds"]) == ("partial", 0.0)
    assert (given["requested_sources"], given["included_sources"]) == (["frontend"], [])
    assert {each["code"] for each in given["warnings"]} == {
        "frontend_missing",
        "frontend_no_connection",
    }
    assert inside.told[0] in {"collecting", "building"}


@requirement("bundle:capture:asked")
async def test_a_request_for_the_backend_asks_no_browser(inside: Inside) -> None:
    browsers = inside.tools.plane.container.browsers()
    with browsers.connected(UserId("owner")) as browser:
        await inside.tools.ok(NAME, source="backend")
        asked = await browser.next(0)

    assert asked is None


@requirement("bundle:tool:busy")
async def test_a_conflict_says_when_to_ask_again(inside: Inside) -> None:
    browsers = inside.tools.plane.container.browsers()
    with browsers.connected(UserId("owner")):
        request = BundleRequest((Source.FRONTEND,))
        inside.desk.request(UserId("owner"), request).unwrap()
        text = await inside.tools.refused(NAME, source="backend")

    assert text.startswith("identity_busy: ")
    assert "5 seconds" in text


@requirement("bundle:tool:result")
def test_what_is_too_much_to_list_is_counted() -> None:
    manifest = {
        "requested_sources": ["backend"],
        "included_sources": ["backend"],
        "entries": {"backend": 3},
        "omitted_bytes": 7,
        "losses": {"file": {"info": {"capacity": 2}}},
        "redactions": {"backend": 1},
        "warnings": {"backend_truncated": 4},
    }
    delivery = BundleDelivery(
        BundleId("0" * 32),
        Delivered(".kandev/x", "/w/.kandev/x"),
        10,
        JobState.PARTIAL,
        age=timedelta(),
        manifest=json.dumps(manifest).encode(),
    )

    told = answer(delivery)

    assert told.files == {"backend": 3}
    assert told.warnings == {"backend_truncated": 4}
    assert told.losses == {"file": {"info": {"capacity": 2}}}
