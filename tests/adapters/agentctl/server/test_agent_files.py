"""Files that an agent asks for over its protocol: read in part, written whole, never outside."""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from adapters.agentctl.server.instance import Instance
from domain.checkout_file import MAX_READ_BYTES
from tests.adapters.agentctl.server.conftest import House, texts, turn
from tests.eventually import eventually
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

INVALID = -32602
NOT_FOUND = -32002


# It asks when it is told to, long after its greeting, and tells what it is answered in a turn.
ASKS_BETWEEN_TURNS = r"""
say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
id() { id=${line#*\"id\":}; id=${id%%[,\}]*}; }
read -r line; id; say "\"id\":$id,\"result\":{\"protocolVersion\":1}"
read -r line; id; say "\"id\":$id,\"result\":{\"sessionId\":\"s\"}"
read -r path < "$1"
say "\"id\":\"mine\",\"method\":\"fs/write_text_file\",\"params\":{\"sessionId\":\"s\",\"path\":\"$path\",\"content\":\"written\"}"
read -r answer
read -r line; id; say "\"id\":$id,\"result\":{\"stopReason\":\"end_turn\"}"
read -r line
"""


class Asking:
    """Has the agent make one request of its client in each turn."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._turns = 0

    async def __call__(self, method: str, params: Mapping[str, object]) -> Any:
        self._turns += 1
        # A prompt's words are parted by spaces.
        compact = json.dumps(params, separators=(",", ":")).replace(" ", "\\u0020")
        seen = await turn(self._instance, self._turns, f"invoke:fs/{method},{compact}")
        return json.loads(texts(seen)[0])


@requirement("agentctl:protocol:files")
async def test_an_agent_reads_the_lines_that_it_asks_for(house: House) -> None:
    ask = Asking(await house.launch())
    path = house.workspace / "lines"
    path.write_bytes(b"one\ntwo\r\nthr\xc3\xa9e")

    whole = await ask("read_text_file", {"path": str(path)})
    second = await ask("read_text_file", {"path": str(path), "line": 2, "limit": 1})
    behind = await ask("read_text_file", {"path": str(path), "line": 4})

    assert whole == {"content": "one\ntwo\r\nthrée"}
    assert second == {"content": "two\r\n"}
    assert behind == {"content": ""}


@requirement("agentctl:protocol:files")
async def test_an_agent_writes_a_file_whole_and_makes_its_directories(house: House) -> None:
    ask = Asking(await house.launch())
    script = house.workspace / "script"
    script.write_text("something longer")
    script.chmod(0o755)

    replaced = await ask("write_text_file", {"path": str(script), "content": "new"})
    await ask("write_text_file", {"path": f"{house.workspace}/a/b/made", "content": "é"})

    assert replaced == {}
    assert (script.read_text(), script.stat().st_mode & 0o777) == ("new", 0o755)
    assert (house.workspace / "a" / "b" / "made").read_bytes() == "é".encode()


@requirement("agentctl:protocol:files")
async def test_an_agent_that_asks_between_turns_is_answered(house: House, tmp_path: Path) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)
    instance = await house.launch(command=["/bin/sh", "-c", ASKS_BETWEEN_TURNS, "sh", str(told)])
    path = house.workspace / "made"

    await asyncio.to_thread(told.write_text, f"{path}\n")
    await eventually(path.exists)
    seen = await turn(instance, 1, "anything")

    assert path.read_text() == "written"
    assert seen[-1].body["stop_reason"] == "end_turn"


@requirement("agentctl:protocol:files")
@pytest.mark.parametrize("method", ["read_text_file", "write_text_file"])
@pytest.mark.parametrize("name", ["../secret", "link", "folder/../../secret", ".git/config"])
async def test_no_file_outside_is_read_or_written(house: House, method: str, name: str) -> None:
    ask = Asking(await house.launch())
    outside = house.workspace.parent / "secret"
    outside.write_text("outside")
    (house.workspace / "link").symlink_to(outside)

    through = await ask(method, {"path": f"{house.workspace}/{name}", "content": "x"})
    plain = await ask(method, {"path": str(outside), "content": "x"})

    for refused in (through, plain):
        assert (refused["code"], refused["data"]["code"]) == (INVALID, "outside_the_worktree")
    assert outside.read_text() == "outside"


@requirement("agentctl:protocol:files")
async def test_what_is_no_text_there_is_told_apart(house: House) -> None:
    ask = Asking(await house.launch())
    (house.workspace / "binary").write_bytes(b"\xff")
    with (house.workspace / "large").open("wb") as file:
        file.truncate(MAX_READ_BYTES + 1)

    missing = await ask("read_text_file", {"path": f"{house.workspace}/missing"})
    binary = await ask("read_text_file", {"path": f"{house.workspace}/binary"})
    large = await ask("read_text_file", {"path": f"{house.workspace}/large"})
    folder = await ask("write_text_file", {"path": f"{house.workspace}/a/..", "content": ""})

    assert missing["code"] == NOT_FOUND
    assert binary["code"] == large["code"] == folder["code"] == INVALID
    assert large["data"]["code"] == "file_too_large"
