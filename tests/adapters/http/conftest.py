"""The application as a client meets it, on the loop of the test, with the plane behind it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from adapters.http.app import create_app
from composition.server import listen, serving
from composition.tokens import HomeTokens
from domain.http_door import loopback_hosts
from domain.secret import Secret
from tests.pipelines.plane import HOST, SECRET, Plane, plane_over, url_of

__all__ = ("ORIGIN", "TOKEN", "Json", "Web", "app_of", "listening", "tokens_of", "web_over")

TOKEN = "kdt_token-of-the-home"
ORIGIN = "http://127.0.0.1:38429"

Json = Any  # what the server answers, read by key


@dataclass
class Web:
    """A client with the token of the home, and what is behind the application."""

    client: httpx2.AsyncClient
    plane: Plane
    app: Any = None  # what other clients are for, too, where no socket is between

    @asynccontextmanager
    async def other(self, **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
        """A client of the same application without the token of the home."""
        transport = httpx2.ASGITransport(app=self.app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(
            transport=transport, base_url=ORIGIN, headers=headers
        ) as client:
            yield client

    async def ok(self, method: str, path: str, body: object = None) -> Json:
        """The answer of a request that must succeed."""
        answer = await self.client.request(method, path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    async def refused(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        """Status and code of a request that must be refused with problem details."""
        answer = await self.client.request(method, path, json=body)
        problem = answer.json()
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        assert problem["status"] == answer.status_code
        assert set(problem) == {"status", "code", "title", "detail", "remedy", "type"}
        return answer.status_code, str(problem["code"])

    async def workspace(self, **fields: object) -> str:
        made = await self.ok("POST", "/api/v1/workspaces", {"name": "Shop", **fields})
        return str(made["id"])

    async def connected(self, workspace: str) -> Json:
        self.plane.git.remotes[url_of("app")] = "main"
        body = {"host": HOST, "token": SECRET, "probe_url": url_of("app"), "login": "robot"}
        return await self.ok("PUT", f"/api/v1/workspaces/{workspace}/connections", body)

    async def task(self, workspace: str | None = None) -> Json:
        """A task on the one repository of a connected workspace."""
        workspace = workspace or await self.workspace()
        await self.connected(workspace)
        path = f"/api/v1/workspaces/{workspace}/repositories"
        repository = await self.ok("POST", path, {"clone_url": url_of("app")})
        wanted = [{"repository_id": repository["id"]}]
        body = {"workspace_id": workspace, "prompt": "Work.", "repositories": wanted}
        return await self.ok("POST", "/api/v1/tasks", body)

    async def session(self, **options: object) -> Json:
        """A session without a turn."""
        task = await self.task()
        body = {"agent": "demo", "prompt": "", **options}
        return await self.ok("POST", f"/api/v1/tasks/{task['id']}/sessions", body)


def app_of(plane: Plane) -> Any:  # Litestar and httpx2 spell ASGI differently
    return create_app(plane.api, tokens_of(plane), loopback_hosts("127.0.0.1", 38429))


def tokens_of(plane: Plane) -> HomeTokens:
    return HomeTokens(Secret(TOKEN), plane.store, plane.clock)


@pytest.fixture
async def web(tmp_path: Path) -> AsyncIterator[Web]:
    async with plane_over(tmp_path) as plane, web_over(plane) as made:
        yield made


@asynccontextmanager
async def web_over(plane: Plane) -> AsyncIterator[Web]:
    app = app_of(plane)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers) as client:
        yield Web(client, plane, app)


@asynccontextmanager
async def listening(
    plane: Plane, around: Callable[[Any], Any] = lambda app: app
) -> AsyncIterator[str]:
    """The URL of the application behind a real socket, on the loop of the test.

    `around` may stand before it.
    """
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    hosts = loopback_hosts("127.0.0.1", port)
    app = create_app(plane.api, tokens_of(plane), hosts)
    async with serving(around(app), listener):
        yield f"http://127.0.0.1:{port}"
