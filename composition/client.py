"""The command line's way to a server: REST over loopback, problems as `ApiError`."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from typing_extensions import override

from composition.start_problem import Told

__all__ = ("ApiError", "Client", "connect")

Json = dict[str, Any]  # what the server answers, read by key


class ApiError(Told):
    """The server refused: a stable code, what failed, and what to do next."""

    def __init__(self, status: int, code: str, detail: str, remedy: str) -> None:
        super().__init__(code, detail, remedy)
        self.status = status

    @override
    def __str__(self) -> str:
        return f"{self.detail} [{self.code}]" + (f"\n{self.remedy}" if self.remedy else "")


@dataclass(frozen=True, slots=True)
class Client:
    http: httpx2.AsyncClient

    async def get(self, path: str) -> Any:  # JSON of the route's shape
        return await self._answer("GET", path, None)

    async def post(self, path: str, body: Json | None = None) -> Any:  # JSON of the route's shape
        return await self._answer("POST", path, body)

    async def put(self, path: str, body: Json) -> Any:  # JSON of the route's shape
        return await self._answer("PUT", path, body)

    async def delete(self, path: str) -> Any:  # JSON of the route's shape, if it has one
        return await self._answer("DELETE", path, None)

    async def text(self, path: str) -> AsyncIterator[str]:
        """The body of an answer that is not JSON, in parts as it arrives."""
        async with self.http.stream("GET", path) as response:
            if response.status_code >= 400:
                await response.aread()
                raise problem(response)
            async for part in response.aiter_text():
                yield part

    async def events(self, session: str, after: int = 0) -> AsyncIterator[Json]:
        """Events of a session after `after`, those to come included."""
        path = f"/api/v1/sessions/{session}/events?after={after}"
        async with self.http.stream("GET", path, timeout=httpx2.Timeout(10, read=60)) as response:
            if response.status_code >= 400:
                await response.aread()
                raise problem(response)
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    yield json.loads(line[6:])

    async def _answer(self, method: str, path: str, body: Json | None) -> Any:  # as above
        response = await self.http.request(method, path, json=body)
        if response.status_code >= 400:
            raise problem(response)
        return response.json() if response.content else None


def problem(response: httpx2.Response) -> ApiError:
    try:
        body = response.json()
    except ValueError:
        return ApiError(response.status_code, "unexpected_answer", "The server is not Kandev.", "")
    return ApiError(
        response.status_code,
        str(body.get("code", "error")),
        str(body.get("detail", "")),
        str(body.get("remedy", "")),
    )


@asynccontextmanager
async def connect(url: str, token: str) -> AsyncIterator[Client]:
    """A client of the server at `url`; a launch may take minutes, so its answer may too."""
    async with httpx2.AsyncClient(
        base_url=url,
        headers={"authorization": f"Bearer {token}"},
        timeout=httpx2.Timeout(10, read=600),
        trust_env=False,
    ) as http:
        yield Client(http)
