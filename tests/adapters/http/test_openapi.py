"""The document: valid, complete about problems, and true whatever is sent."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from dependency_injector import providers
from openapi_spec_validator import validate

from domain.session_order import Wish
from pipelines.settled_sessions import SettledSessions
from tests.adapters.http.conftest import TOKEN, Json, Web, listening, web_over
from tests.pipelines.plane import plane_over
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

DOCUMENT = "/api/v1/schema/openapi.json"
SECONDS = 110.0


@requirement("rest:openapi")
async def test_the_document_is_valid(web: Web) -> None:
    document = await web.ok("GET", DOCUMENT)

    validate(document)
    assert document["security"] == [{"bearer": []}]
    assert document["paths"]["/health"]["get"]["security"] == [{}]


@requirement("rest:openapi")
async def test_every_operation_says_how_it_may_be_refused(web: Web) -> None:
    document = await web.ok("GET", DOCUMENT)

    for operation in operations(document):
        refusals = {status: each for status, each in operation["responses"].items() if status > "3"}
        assert {"400", "401", "403", "404", "409", "500", "503", "507"} <= refusals.keys()
        for each in refusals.values():
            assert each["content"] == {
                "application/problem+json": {"schema": {"$ref": "#/components/schemas/Details"}}
            }


@requirement("rest:openapi")
async def test_options_lists_the_methods_that_the_document_has(web: Web) -> None:
    document = await web.ok("GET", DOCUMENT)

    for path, item in document["paths"].items():
        answer = await web.client.options(path.replace("{", "").replace("}", ""))
        allowed = {each.lower() for each in answer.headers["allow"].split(", ")}
        assert (answer.status_code, allowed) == (204, {*item, "options"}), path


@requirement("rest:problems")
async def test_a_method_that_is_not_there_is_refused_with_those_that_are(web: Web) -> None:
    answer = await web.client.request("PATCH", "/api/v1/workspaces")

    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert set(answer.headers["allow"].split(", ")) == {"GET", "OPTIONS", "POST"}


@pytest.fixture
async def hasty(tmp_path: Path) -> AsyncIterator[Web]:
    """Where nobody waits for a stop: of an agent that is none, it would not end."""
    async with plane_over(tmp_path) as plane:
        at_once = SettledSessions(plane.store, dict.fromkeys(Wish, 0.0))
        plane.container.settled.override(providers.Object(at_once))
        async with web_over(plane) as made:
            yield made


@requirement("rest:conforms")
@pytest.mark.timeout(120)
@pytest.mark.parametrize("removing", [False, True], ids=["talking", "removing"])
async def test_whatever_is_sent_the_answer_is_one_that_the_document_allows(
    hasty: Web, tmp_path: Path, removing: bool
) -> None:
    """schemathesis with names that exist; in the first run nothing takes them away again."""
    (tmp_path / "schemathesis.toml").write_text(await names(hasty), encoding="utf-8")
    chosen = [] if removing else ["--exclude-method", "DELETE"]

    async with listening(hasty.plane) as url:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        returned, told = await fuzzed(url, tmp_path, headers, *("--max-examples", "3"), *chosen)

    assert returned == 0, told


async def fuzzed(
    url: str, folder: Path, headers: Mapping[str, str], *options: str
) -> tuple[int | None, str]:
    """How schemathesis ends over the document, with the names in the folder, and what it tells.

    The document is the one in the folder, if there is one, else the server's.
    """
    kept = folder / "openapi.json"
    document = (str(kept), "--url", url) if kept.exists() else (url + DOCUMENT,)
    run = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("schemathesis")),
        *("--config-file", str(folder / "schemathesis.toml"), "run", *document),
        *(word for each in headers.items() for word in ("--header", ": ".join(each))),
        *("--exclude-checks", "positive_data_acceptance"),
        *("--seed", "1", "--no-color"),
        *options,
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(SECONDS):
            told, _ = await run.communicate()
    finally:
        if run.returncode is None:
            run.kill()
            await run.wait()
    return run.returncode, told.decode()


async def names(web: Web) -> str:
    """The names of things that exist, and a stream that ends, for the parameters of the document."""
    session = await web.session()
    task = await web.ok("GET", f"/api/v1/tasks/{session['task_id']}")
    profile = {"workspace_id": task["workspace_id"], "name": "Fast", "agent": "demo"}
    parameters = {
        "profile_id": (await web.ok("POST", "/api/v1/agent-profiles", profile))["id"],
        "workspace_id": task["workspace_id"],
        "task_id": task["id"],
        "session_id": session["id"],
        "repository_id": task["repositories"][0]["repository_id"],
    }
    lines = [f'{name} = "{value}"' for name, value in parameters.items()]
    return "\n".join(["[parameters]", *lines, "follow = false", ""])


def operations(document: Json) -> list[Json]:
    return [each for item in document["paths"].values() for each in item.values()]
