"""Whatever is sent, nobody but those who work there reads a word of a workspace."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from domain.account import Role
from domain.identity import SignInId, UserId
from domain.shown_once import Kind, digest, spell
from domain.sign_in import started
from tests.account_examples import account_of
from tests.adapters.http.conftest import Json, Web, listening
from tests.adapters.http.test_openapi import DOCUMENT, fuzzed, hasty
from tests.pipelines.plane import url_of
from tests.requirements import requirement

__all__ = ("hasty",)

pytestmark = [pytest.mark.anyio, requirement("workspace:foreign")]

V1 = "/api/v1"
WORDS = ("Owner-Only-Shop", "Owner-Only-Title", "owner only prompt", "Owner-Only-Profile")
ACCOUNTS = {
    "member": (UserId("member"), Role.MEMBER),
    "other": (UserId("other"), Role.MEMBER),
    "admin": (UserId("admin"), Role.ADMIN),
}

OPTIONS = (
    *("--phases", "fuzzing", "--max-examples", "3"),
    *("--checks", "not_a_server_error"),
    *("--exclude-path", f"{V1}/auth/logout"),
)

Application = Callable[[Any, Any, Any], Any]


class Browser:
    """Stands before the application as a browser's cookies do, and keeps what it answers with."""

    def __init__(self, app: Application) -> None:
        self.app = app
        self.headers: list[tuple[bytes, bytes]] = []
        self.told: set[tuple[str, int]] = set()
        self.answers: list[tuple[str, bytes]] = []
        self.failures: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # ASGI
        async def told(message: Any) -> None:  # ASGI
            if message["type"] == "http.response.start":
                self.told.add((scope["path"], message["status"]))
                if message["status"] >= 500:
                    self.failures.append(f"{scope['method']} {scope['path']} {message['status']}")
            if message["type"] == "http.response.body":
                self.answers.append((scope["path"], message.get("body", b"")))
            await send(message)

        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], *self.headers]}
        await self.app(scope, receive, told)


async def seeded(web: Web, folder: Path) -> Json:
    """What the owner has, by name; schemathesis is told the names in the folder."""
    shop = await web.ok("POST", f"{V1}/workspaces", {"name": WORDS[0]})
    await web.connected(shop["id"])
    path = f"{V1}/workspaces/{shop['id']}/repositories"
    repository = await web.ok("POST", path, {"clone_url": url_of("app")})
    body = {
        "workspace_id": shop["id"],
        "title": WORDS[1],
        "prompt": WORDS[2],
        "repositories": [{"repository_id": repository["id"]}],
    }
    task = await web.ok("POST", f"{V1}/tasks", body)
    session = await web.ok(
        "POST", f"{V1}/tasks/{task['id']}/sessions", {"agent": "demo", "prompt": ""}
    )
    profile = {"workspace_id": shop["id"], "name": WORDS[3], "agent": "demo"}
    names = {
        "workspace_id": shop["id"],
        "repository_id": repository["id"],
        "task_id": task["id"],
        "session_id": session["id"],
        "profile_id": (await web.ok("POST", f"{V1}/agent-profiles", profile))["id"],
    }
    lines = [f'{name} = "{value}"' for name, value in names.items()]
    text = "\n".join(["[parameters]", *lines, "follow = false", ""])
    (folder / "schemathesis.toml").write_text(text, encoding="utf-8")
    document = await web.client.get(DOCUMENT)
    (folder / "openapi.json").write_text(document.text, encoding="utf-8")
    return names


async def signed_in(web: Web, who: str, port: str) -> list[tuple[bytes, bytes]]:
    """What the browser of an account sends; nobody's sends nothing."""
    if who not in ACCOUNTS:
        return []
    user, role = ACCOUNTS[who]
    cookie = spell(Kind.SIGN_IN, who.encode().ljust(32, b"-")).reveal()
    kept = digest(Kind.SIGN_IN, cookie) or ""
    async with web.plane.store.write() as unit:
        await unit.put_account(account_of(user, role))
        await unit.put_sign_in(started(SignInId(who), user, kept, "", web.plane.clock.now()))
    shown = f"kandev_session_{port}={cookie}"
    return [(b"cookie", shown.encode()), (b"sec-fetch-site", b"same-origin")]


@asynccontextmanager
async def watched(web: Web) -> AsyncIterator[tuple[str, Browser]]:
    made: list[Browser] = []

    def around(app: Application) -> Any:  # an ASGI application
        made.append(Browser(app))
        return made[0]

    serving: AbstractAsyncContextManager[str] = listening(web.plane, around)
    async with serving as url:
        yield url, made[0]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("who", ["nobody", "other", "admin"])
async def test_whatever_others_send_they_read_none_of_it(
    hasty: Web, tmp_path: Path, who: str
) -> None:
    await seeded(hasty, tmp_path)

    async with watched(hasty) as (url, browser):
        browser.headers = await signed_in(hasty, who, url.rpartition(":")[2])
        returned, told = await fuzzed(url, tmp_path, {}, *OPTIONS)

    assert returned == 0, told
    assert browser.failures == []
    assert len(browser.answers) > 200
    assert ((f"{V1}/auth/me", 200) in browser.told) is (who in ACCOUNTS)
    for path, body in browser.answers:
        assert not any(word.encode() in body for word in WORDS), (who, path, body)


@pytest.mark.timeout(120)
async def test_a_member_reads_it_and_is_no_less_answered(hasty: Web, tmp_path: Path) -> None:
    names = await seeded(hasty, tmp_path)

    async with watched(hasty) as (url, browser):
        browser.headers = await signed_in(hasty, "member", url.rpartition(":")[2])
        members = f"{V1}/workspaces/{names['workspace_id']}/members"
        await hasty.ok("POST", members, {"email": "member@example.org"})
        chosen = ("--exclude-method", "DELETE")
        returned, told = await fuzzed(url, tmp_path, {}, *OPTIONS, *chosen)

    assert returned == 0, told
    assert browser.failures == []
    read = b"".join(body for _, body in browser.answers)
    assert [word for word in WORDS if word.encode() not in read] == []
