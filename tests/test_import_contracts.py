"""Every contract of the floors is broken by an import that it is there to refuse.

One module for each contract is planted in a copy of the tree; `make lint` shows that the tree
itself keeps them all.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]
PACKAGES: Final[list[str]] = SETTINGS["root_packages"]
CONTRACTS: Final[list[str]] = [contract["name"] for contract in SETTINGS["contracts"]]


class Planted(NamedTuple):
    """A line added to the end of a module, which is made where it is not there."""

    module: str
    line: str


BREACHES: Final = {
    "Dependencies point inward": Planted("domain.planted_floor", "import pipelines"),
    "Adapters do not know each other": Planted("adapters.git.planted", "import adapters.http.app"),
    "The core performs no I/O": Planted("pipelines.planted_world", "import os"),
    "The domain is synchronous": Planted("domain.planted_loop", "import asyncio"),
    "Outcomes have one door": Planted("ports.planted_outcome", "import returns.result"),
    "Only composition wires": Planted("adapters.http.planted_wire", "import dependency_injector"),
    "The runtime is reached through its port": Planted(
        "pipelines.planted_runtime", "import adapters.agentctl.runtime"
    ),
    "One adapter for the database": Planted("composition.planted_rows", "import sqlmodel"),
    "Two adapters serve HTTP": Planted("composition.planted_routes", "import litestar"),
    "Composition runs the servers": Planted("adapters.http.planted_server", "import uvicorn"),
    "Clients of HTTP are few": Planted("adapters.forge.planted_client", "import httpx2"),
    "agentctl is all that we dial by WebSocket": Planted(
        "adapters.http.planted_socket", "import websockets"
    ),
    "One adapter speaks with agents": Planted("adapters.agentctl.planted_agent", "import acp"),
    "One adapter speaks MCP": Planted("adapters.http.planted_tool", "import mcp"),
    "Wire formats end in their adapters": Planted("composition.planted_wire", "import msgspec"),
    "Ciphers and certificates stay with what they protect": Planted(
        "adapters.sqlite.planted_cipher", "import cryptography"
    ),
    "What agents start of ours starts with next to nothing": Planted(
        "adapters.agentctl.server.tools.mcp_bridge", "import json"
    ),
    "agentctl carries no database": Planted(
        "adapters.agentctl.server.planted_store", "import adapters.sqlite.store"
    ),
}


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the linter says about a tree in which every contract is broken once."""
    tree = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "pyproject.toml", tree)
    for package in PACKAGES:
        compiled = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tree / package, ignore=compiled)
    for planted in BREACHES.values():
        path = tree.joinpath(*planted.module.split(".")).with_suffix(".py")
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n{planted.line}\n")
    linted = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=tree,
        env={"PATH": os.environ["PATH"], "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert linted.returncode == 1, linted.stdout + linted.stderr
    return linted.stdout


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_contract_refuses_what_it_is_there_to_refuse(name: str, verdict: str) -> None:
    section = re.search(
        rf"^{re.escape(name)}\n-+\n(.*?)(?=^[^\n]+\n-{{3,}}\n|\Z)",
        verdict,
        re.MULTILINE | re.DOTALL,
    )

    assert f"{name} BROKEN" in verdict
    assert section is not None
    assert BREACHES[name].module in section[1]


def test_every_contract_has_its_breach() -> None:
    assert BREACHES.keys() == set(CONTRACTS)
