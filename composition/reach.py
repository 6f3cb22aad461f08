"""A client of the home's server: the one that runs, else one started for the caller alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from adapters.home.lock import holder
from composition.client import Client, connect
from composition.settings import Settings
from composition.start_problem import CannotStart

__all__ = ("attach", "reach", "running_server")

_PROBE_SECONDS = 2.0


@asynccontextmanager
async def reach(settings: Settings) -> AsyncIterator[Client]:
    url = await running_server(settings.home)
    token = settings.api_token or stored_token(settings.home)
    if url is not None and token is not None:
        async with connect(url, token) as client:
            yield client
        return
    # The server's libraries take a second to import: only where one is started.
    from composition.server import started  # noqa: PLC0415

    async with (
        started(settings, port=0, owned=True) as server,
        connect(server.url, server.token) as client,
    ):
        yield client


@asynccontextmanager
async def attach(settings: Settings) -> AsyncIterator[Client]:
    """A client of the server that runs on the home. Raises `CannotStart` when none does."""
    url = await running_server(settings.home)
    token = settings.api_token or stored_token(settings.home)
    if url is None or token is None:
        detail = f"no server runs on {settings.home}"
        raise CannotStart("not_serving", detail, "Start one with `kandev serve`.")
    async with connect(url, token) as client:
        yield client


async def running_server(home: Path) -> str | None:
    """The address of the server that runs on the home, if it answers."""
    held = holder(home / "server.lock")
    if held is None or not held.address:
        return None
    async with httpx2.AsyncClient(timeout=_PROBE_SECONDS, trust_env=False) as http:
        try:
            answer = await http.get(f"{held.address}/health")
        except httpx2.HTTPError:
            return None
    return held.address if answer.status_code == 200 else None


def stored_token(home: Path) -> str | None:
    try:
        return (home / "api-token").read_text(encoding="ascii").strip() or None
    except (OSError, ValueError):
        return None
