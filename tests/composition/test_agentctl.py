"""agentctl as a process: how it starts, what it shows, how it ends and what it leaves."""

import asyncio
import json
import os
import secrets
import stat
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import msgspec
import pytest

from adapters.agentctl import process_stat, proof, wire
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AGENT = Path(__file__).parents[1] / "agents" / "minimal.py"
KEY = b"k" * proof.KEY_BYTES
OURS = {"kandev-task": "t1", "kandev-session": "s1"}


@dataclass
class Running:
    """An agentctl, and a client that shook hands with it."""

    process: asyncio.subprocess.Process
    announced: dict[str, Any]
    client: httpx2.AsyncClient
    directory: Path
    execution: str

    @property
    def socket(self) -> Path:
        return Path(self.announced["socket"])

    def asked(self, *options: str) -> bytes:
        asked = wire.Create(
            execution=self.execution,
            task="t1",
            session="s1",
            agent="minimal",
            command=[sys.executable, "-I", str(AGENT), *options],
            hard_stop=False,
            executor="worktree",
            workspace=str(self.directory / "tasks"),
            checkouts=[],
            layers=[],
            managed=None,
            removes=[],
            acp_session=None,
            approve_automatically=False,
        )
        return msgspec.json.encode(asked)

    async def create(self) -> None:
        answer = await self.client.post("/api/v1/instances", content=self.asked())
        assert answer.status_code == 201, answer.text

    async def prompt(self, generation: int, text: str) -> None:
        answer = await self.client.post(
            f"/api/v1/instances/{self.execution}/prompt",
            json={"generation": generation, "text": text},
            headers=OURS,
        )
        assert answer.status_code == 202, answer.text

    async def events(self, until: str | None = None, after: int = 0) -> list[dict[str, Any]]:
        """The events after `after`, to the first of a kind or to the end of the stream."""
        seen: list[dict[str, Any]] = []
        path, parameters = f"/api/v1/instances/{self.execution}/events", {"after": after}
        async with self.client.stream("GET", path, params=parameters, headers=OURS) as answer:
            async for line in answer.aiter_lines():
                seen.append(json.loads(line))
                if seen[-1]["kind"] == until:
                    break
        return seen


Start = Callable[..., Awaitable[Running]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    # What carries the name of an execution is taken for its leftovers: each test has its own.
    execution = uuid.uuid4().hex
    async with AsyncExitStack() as stack:
        # The path of a socket is short.
        runtime = stack.enter_context(TemporaryDirectory(prefix="kandev-"))

        async def started(
            *options: str,
            key: bytes = KEY,
            keep_stdin: bool = False,
            directory: Path | None = None,
            environment: dict[str, str] | None = None,
        ) -> Running:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-m",
                "composition.agentctl",
                "--home",
                str(tmp_path / "home"),
                "--runtime",
                runtime,
                *options,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=directory or "/",
                env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)} | (environment or {}),
                start_new_session=True,
            )
            stack.push_async_callback(_end, process)
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(key)
            if not keep_stdin:
                process.stdin.close()
            async with asyncio.timeout(30):
                announced = json.loads(await process.stdout.readline())
            client = await stack.enter_async_context(_client(announced["socket"]))
            return Running(process, announced, client, tmp_path, execution)

        yield started


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    async with asyncio.timeout(20):
        await process.communicate()


@asynccontextmanager
async def _client(socket: str) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.AsyncHTTPTransport(uds=socket)
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://agentctl", timeout=20
    ) as client:
        nonce = proof.text_of(secrets.token_bytes(proof.NONCE_BYTES))
        answer = await client.post("/api/v1/handshake", json={"protocol": 1, "nonce": nonce})
        if answer.status_code == 200:
            welcome = msgspec.json.decode(answer.content, type=wire.Welcome)
            token = proof.session(KEY, nonce, welcome.nonce)
            client.headers["authorization"] = f"Bearer {token}"
        yield client


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _agents(running: Running) -> set[int]:
    """The living agents of the execution."""
    mark, found = f"KANDEV_EXECUTION_ID={running.execution}".encode(), set()
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            agent = os.fsencode(AGENT) in (entry / "cmdline").read_bytes().split(b"\0")
            if agent and mark in (entry / "environ").read_bytes() and _lives(int(entry.name)):
                found.add(int(entry.name))
    return found


def _lives(pid: int) -> bool:
    found = process_stat.read(pid)
    return found is not None and not found.ended


@requirement("agentctl:process")
async def test_it_announces_itself_and_listens_where_only_the_user_can_come(start: Start) -> None:
    running = await start()

    health = (await running.client.get("/health")).json()

    assert running.announced["pid"] == running.process.pid == health["pid"]
    assert process_stat.is_running(running.announced["pid"], running.announced["started"])
    assert _mode(running.socket) == 0o600
    assert _mode(running.socket.parent) == 0o700
    assert _mode(running.directory / "home") == 0o700


@requirement("agentctl:tcp")
async def test_on_the_loopback_it_answers_to_the_same_proof(start: Start) -> None:
    running = await start("--tcp", "0")
    token, port = running.client.headers["authorization"], running.announced["tcp"]

    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
        refused = await client.get("/api/v1/instances")
        shown = await client.get("/api/v1/instances", headers={"authorization": token})

    assert (refused.status_code, shown.status_code) == (401, 200)


@requirement("agentctl:process")
@pytest.mark.parametrize("which", ["home", "run"])
async def test_a_directory_that_others_can_use_is_refused(tmp_path: Path, which: str) -> None:
    (tmp_path / which).mkdir(mode=0o755)
    words = ["--home", str(tmp_path / "home"), "--runtime", str(tmp_path / "run")]

    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-I", "-m", "composition.agentctl", *words],
        input=KEY,
        capture_output=True,
        timeout=20,
        check=False,
    )

    assert (done.returncode, done.stdout) == (1, b"")
    assert str(tmp_path / which).encode() in done.stderr


@requirement("agentctl:door")
@pytest.mark.parametrize("key", [b"", b"k" * (proof.KEY_BYTES - 1)])
async def test_without_a_whole_key_only_health_is_served(start: Start, key: bytes) -> None:
    running = await start(key=key)

    health = await running.client.get("/health")
    listed = await running.client.get("/api/v1/instances")

    assert (health.status_code, listed.status_code) == (200, 401)
    assert "authorization" not in running.client.headers


@requirement("agentctl:process")
async def test_it_is_told_to_end_and_ends_its_agents_first(start: Start) -> None:
    running = await start()
    await running.create()
    (agent,) = _agents(running)
    await running.prompt(1, "say:begun wait")
    await running.events("message_chunk")

    running.process.terminate()
    seen = await running.events(after=3)
    async with asyncio.timeout(20):
        status = await running.process.wait()

    assert [event["kind"] for event in seen] == ["complete", "exited"]
    assert status == 0
    assert not _lives(agent)
    assert not running.socket.exists()


@requirement("agentctl:process")
@pytest.mark.parametrize("owned", [True, False])
async def test_the_end_of_stdin_ends_only_one_that_is_owned(start: Start, owned: bool) -> None:
    running = await start(*(["--owned"] if owned else []), keep_stdin=True)
    assert running.process.stdin is not None

    running.process.stdin.close()

    if owned:
        async with asyncio.timeout(20):
            assert await running.process.wait() == 0
    else:
        assert (await running.client.get("/health")).status_code == 200


@requirement("events:numbered")
async def test_events_follow_live_over_the_socket(start: Start) -> None:
    running = await start()
    await running.create()

    async with asyncio.TaskGroup() as group:
        reading = group.create_task(running.events("complete"))
        await running.prompt(3, "say:live")

    assert [(event["kind"], event["generation"]) for event in reading.result()] == [
        ("session_status", None),
        ("turn_started", 3),
        ("message_chunk", 3),
        ("complete", 3),
    ]


@requirement("agentctl:launch:nothing-left")
async def test_a_client_that_leaves_has_given_its_launch_up(start: Start) -> None:
    running = await start()
    body = running.asked("initialize=silent")
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(running.client.post("/api/v1/instances", content=body))
        await eventually(lambda: bool(_agents(running)))
        asking.cancel()

    await eventually(lambda: not _agents(running))
    instances = running.directory / "home" / "instances"
    await eventually(lambda: not list(instances.iterdir()))
    assert not (running.directory / "tasks").exists()


@requirement("agentctl:recovery")
async def test_a_killed_agentctl_leaves_no_orphan_and_loses_no_event(start: Start) -> None:
    first = await start()
    await first.create()
    await first.prompt(1, "say:whole")
    await first.events("complete")
    await first.prompt(2, "child say:half deaf")
    given = await first.events("message_chunk", after=4)
    child = int(given[-1]["body"]["text"])
    (agent,) = _agents(first)
    seen = await first.events("message_chunk", after=given[-1]["n"])

    first.process.kill()
    await first.process.wait()
    second = await start()
    everything = await second.events()
    listed = (await second.client.get("/api/v1/instances")).json()
    released = await second.client.delete(f"/api/v1/instances/{second.execution}/log", headers=OURS)

    assert not _lives(agent)
    assert not _lives(child)
    assert [event["n"] for event in everything] == list(range(1, len(everything) + 1))
    assert everything[seen[-1]["n"] - 1] == seen[-1]
    assert [(event["kind"], event["generation"]) for event in everything[-2:]] == [
        ("complete", 2),
        ("exited", None),
    ]
    assert everything[-2]["body"]["state"] == "interrupted"
    assert [(each["execution"], each["alive"]) for each in listed] == [(first.execution, False)]
    assert released.status_code == 204
    assert not list((second.directory / "home" / "instances").iterdir())


@requirement("agentctl:recovery")
async def test_what_a_living_agentctl_hosts_is_left_to_it(start: Start) -> None:
    first = await start()
    await first.create()

    second = await start()
    listed = (await second.client.get("/api/v1/instances")).json()
    await first.prompt(1, "say:alive")

    assert listed == []
    assert (await first.events("complete"))[-1]["body"]["state"] == "completed"


@requirement("agentctl:process")
async def test_a_hostile_directory_and_search_path_change_nothing(
    start: Start, tmp_path: Path
) -> None:
    hostile = tmp_path / "hostile"
    for name in ("domain", "ports", "adapters", "composition", "tests"):
        (hostile / name).mkdir(parents=True)
        (hostile / name / "__init__.py").write_text("raise SystemExit(99)")

    running = await start(directory=hostile, environment={"PYTHONPATH": str(hostile)})

    assert (await running.client.get("/health")).status_code == 200


@requirement("agentctl:process")
def test_it_imports_neither_the_store_nor_the_surfaces_of_the_control_plane() -> None:
    code = "import sys, composition.agentctl; print(*{name.split('.')[0] for name in sys.modules})"

    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )

    loaded = set(done.stdout.split())
    assert "composition" in loaded
    assert not loaded & {"sqlmodel", "sqlalchemy", "alembic", "aiosqlite", "mcp", "acp"}


@requirement("agentctl:process")
def test_its_memory_is_hidden_from_other_processes() -> None:
    code = (
        "import ctypes; from composition import memory; memory.hide_memory();"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout == "0\n"
