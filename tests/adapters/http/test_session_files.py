"""The files of a session over REST: what each route asks for, and how a refusal is told."""

import pytest

from domain.checkout_file import Encoding, FileCode, FileFailure, Search, SearchIn, Write, digest
from tests.adapters.http.conftest import Web
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("", ""),
        ("?path=folder", "folder"),
        ("/content?path=a/b", "a/b"),
        ("/search?text=x", Search("x")),
        ("/search?text=x&within=names&path=a", Search("x", SearchIn.NAMES, "a")),
    ],
)
async def test_a_look_asks_for_what_its_query_says(web: Web, path: str, asked: object) -> None:
    session = await web.session()

    await web.ok("GET", f"/api/v1/sessions/{session['id']}/files{path}")

    assert [request for _, _, request in web.plane.instance_files.asked] == [asked]


async def test_a_write_is_what_its_body_says(web: Web) -> None:
    session = await web.session()
    path = f"/api/v1/sessions/{session['id']}/files/content?repository=app"
    body = {"path": "a", "content": "", "encoding": "base64", "replaces": digest(b"")}

    assert await web.ok("PUT", path, body) == {"size": 4, "digest": "d0"}
    assert [(folder, asked) for _, folder, asked in web.plane.instance_files.asked] == [
        ("app", Write("a", "", Encoding.BASE64, digest(b"")))
    ]


@requirement("session-files:inside")
async def test_what_is_refused_has_a_code(web: Web) -> None:
    session = await web.session()
    path = f"/api/v1/sessions/{session['id']}/files"
    new = {"path": "a", "content": "x", "replaces": "x"}

    assert await web.refused("GET", f"{path}?path=/etc") == (400, "invalid_path")
    assert await web.refused("GET", f"{path}/search?text=") == (400, "invalid_query")
    assert await web.refused("PUT", f"{path}/content", new) == (400, "invalid_content")


@requirement("session-files:look")
@pytest.mark.parametrize("code", FileCode)
async def test_each_failure_of_a_file_has_its_status(web: Web, code: FileCode) -> None:
    session = await web.session()
    web.plane.instance_files.refuses = FileFailure(code, "a")

    status, told = await web.refused("GET", f"/api/v1/sessions/{session['id']}/files?path=a")

    assert told == code.value
    assert status == {FileCode.NOT_FOUND: 404, FileCode.DISK_FULL: 507}.get(code, 409)
