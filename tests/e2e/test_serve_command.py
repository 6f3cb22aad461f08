"""`kandev serve`: Ctrl+C ends its sessions, SIGTERM leaves them to be found again."""

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from composition.client import connect
from domain.log_retention import ACTIVE_NAME
from tests.e2e.kandev import SECONDS, Driver, Installation, call, kandev, script
from tests.e2e.test_conversation import begin, processes_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


@dataclass
class Served:
    process: asyncio.subprocess.Process
    driver: Driver
    said: list[str]

    async def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        async with asyncio.timeout(SECONDS):
            return await self.process.wait()


@asynccontextmanager
async def served(
    installation: Installation, words: Sequence[str] = kandev("serve", "--port", "0")
) -> AsyncIterator[Served]:
    process = await asyncio.create_subprocess_exec(
        *words,
        env=installation.environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    said: list[str] = []
    try:
        async with asyncio.timeout(SECONDS):
            while not said or "Kandev is at" not in said[-1]:
                line = (await process.stderr.readline()).decode()
                assert line, said
                said.append(line)
        url = next(word for word in said[-1].split() if word.startswith("http"))
        token = (installation.home / "api-token").read_text(encoding="ascii").strip()
        async with connect(url, token) as client:
            yield Served(process, Driver(client), said)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@requirement("serve:interrupt")
async def test_ctrl_c_ends_the_sessions_and_agentctl(
    installation: Installation, checkout: Path
) -> None:
    async with served(installation) as server:
        session = await begin(server.driver, checkout)
        await server.driver.prompt(session, script(call("delay", 600_000)))
        agents = processes_of(session)
        code = await server.end(signal.SIGINT)

    assert code == 0
    assert len(agents) == 1
    assert processes_of(session) == []


@requirement("serve:terminate")
async def test_a_terminated_server_leaves_its_sessions_to_the_next(
    installation: Installation, checkout: Path
) -> None:
    async with served(installation) as server:
        session = await begin(server.driver, checkout)
        await server.driver.prompt(
            session, script(call("wait_for_file", "go"), call("message", "done"))
        )
        workspace = (await server.driver.session(session))["metadata"]["workspace"]
        await server.end(signal.SIGTERM)
        agents = processes_of(session)

    async with served(installation) as server:
        Path(workspace, "go").touch()
        events = await server.driver.until(session, "complete")
        await server.end(signal.SIGINT)

    assert len(agents) == 1
    assert events[-1]["body"]["state"] == "completed"
    assert processes_of(session) == []


@requirement("serve:killed")
async def test_a_killed_server_loses_neither_the_turn_nor_an_event(
    installation: Installation, checkout: Path
) -> None:
    async with served(installation) as server:
        session = await begin(server.driver, checkout)
        directives = [call("message", f"before {number}") for number in range(50)]
        directives += [call("wait_for_file", "go")]
        directives += [call("message", f"after {number}") for number in range(50)]
        await server.driver.prompt(session, script(*directives))
        workspace = (await server.driver.session(session))["metadata"]["workspace"]
        await server.driver.until(session, "message_chunk")
        await server.end(signal.SIGKILL)

    async with served(installation) as server:
        Path(workspace, "go").touch()
        events = await server.driver.until(session, "complete")
        await server.end(signal.SIGINT)

    texts = [event["body"]["text"] for event in events if event["kind"] == "message_chunk"]
    assert texts == [f"{when} {number}" for when in ("before", "after") for number in range(50)]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))


@requirement("serve:streams")
async def test_data_goes_to_standard_output_and_words_to_standard_error(
    installation: Installation,
) -> None:
    async with served(installation) as server:
        server.process.send_signal(signal.SIGTERM)
        output, _ = await server.process.communicate()

    assert output == b""
    assert str(installation.home) in "".join(server.said)


@requirement("sinks:path")
async def test_the_server_says_once_where_its_log_is(installation: Installation) -> None:
    async with served(installation) as server:
        said = "".join(server.said)
        await server.end(signal.SIGTERM)

    path = installation.home.resolve() / "logs" / "backend-logs.log"
    assert said.count(str(path)) == 1
    assert '"event":"serving"' in path.read_text(encoding="utf-8")


@requirement("sinks:unwritable")
async def test_a_server_whose_logs_cannot_be_written_serves(installation: Installation) -> None:
    (installation.home / "logs").write_text("in the way", encoding="utf-8")

    async with served(installation) as server:
        agents = await server.driver.client.get("/api/v1/agents")
        await server.end(signal.SIGTERM)

    assert agents


@requirement("rest:events:farewell")
async def test_a_server_that_stops_ends_the_streams_that_are_followed(
    installation: Installation, checkout: Path
) -> None:
    async with served(installation) as server, httpx2.AsyncClient(trust_env=False) as http:
        session = await begin(server.driver, checkout)
        http.headers["authorization"] = server.driver.client.http.headers["authorization"]
        base = server.driver.client.http.base_url
        events = http.build_request("GET", base.join(f"/api/v1/sessions/{session}/events"))
        stream = await http.send(events, stream=True)
        code = await server.end(signal.SIGINT)
        ended = await stream.aread()

    log = installation.home / "logs" / ACTIVE_NAME
    assert (stream.status_code, code) == (200, 0)
    assert ended.startswith(b"id: 1")
    assert '"level":"error"' not in log.read_text(encoding="utf-8")
