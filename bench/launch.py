"""From the request for a session to its agent's first word, beside what no launcher can do without.

The reference makes a worktree with git and talks to the same agent as plainly as can be.
"""

import asyncio
import itertools
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from bench.harness import Benchmark, Pair
from bench.stage import folder, launch, project, running, task

__all__ = ("BENCHMARKS",)

FILES: Final = 1_000
WORD: Final = 'e2e:\nmessage("hi")'


@asynccontextmanager
async def _first_event() -> AsyncIterator[Pair]:
    with folder() as root:
        repository = project(root / "project", FILES)
        numbers = itertools.count()
        async with running(root) as client:
            workspace = (await client.post("/api/v1/workspaces", {"name": "bench"}))["id"]
            path = f"/api/v1/workspaces/{workspace}/repositories"
            registered = await client.post(path, {"local_path": str(repository)})

            async def product() -> float:
                ready = await task(client, workspace, registered["id"])
                begun = time.perf_counter()
                session = await launch(client, ready, WORD)
                async for event in client.events(session):
                    if event["kind"] == "message_chunk":
                        break
                took = time.perf_counter() - begun
                await client.post(f"/api/v1/sessions/{session}/stop")
                return took

            async def plain() -> float:
                place = root / f"plain-{next(numbers)}"
                return await asyncio.to_thread(_plainly, repository, place)

            yield Pair(product, plain)


def _plainly(repository: Path, place: Path) -> float:
    """A worktree, the agent, three requests, and the first line that is no answer."""
    begun = time.perf_counter()
    add = ["git", "worktree", "add", "--quiet", "-b", place.name, str(place), "main"]
    subprocess.run(add, cwd=repository, check=True, capture_output=True)
    command = [sys.executable, "-I", "-m", "adapters.scripted_agent"]
    with subprocess.Popen(
        command, cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        lines = (json.loads(line) for line in agent.stdout)

        def ask(number: int, method: str, parameters: dict[str, object]) -> None:
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            assert agent.stdin is not None
            agent.stdin.write(json.dumps(request).encode() + b"\n")
            agent.stdin.flush()

        ask(1, "initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        _answer(lines, 1)
        ask(2, "session/new", {"cwd": str(place), "mcpServers": []})
        session = _answer(lines, 2)["sessionId"]
        prompt = [{"type": "text", "text": WORD}]
        ask(3, "session/prompt", {"sessionId": session, "prompt": prompt})
        next(lines)
        took = time.perf_counter() - begun
        agent.stdin.close()
        agent.stdout.read()  # to its end: an agent that cannot write complains
    return took


def _answer(lines: Iterator[dict[str, object]], number: int) -> dict[str, object]:
    result = next(line for line in lines if line.get("id") == number)["result"]
    assert isinstance(result, dict)
    return result


BENCHMARKS: Final = (Benchmark("launch.first_event", 1.3, _first_event, rounds=15),)
