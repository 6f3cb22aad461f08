"""Every test of this room runs on both event loops."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from adapters.process.spawn import LocalProcesses
from ports.processes import Child
from tests.adapters.process.recorder import Recorder

Start = Callable[..., Awaitable[tuple[Child, Recorder, Recorder]]]


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, Mapping[str, Any]]:
    return "asyncio", {"use_uvloop": request.param}


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start a line of shell; its child and what it says on stdout and on stderr."""

    async def started(
        script: str,
        environment: Mapping[str, str] | None = None,
        processes: LocalProcesses | None = None,
    ) -> tuple[Child, Recorder, Recorder]:
        loop = asyncio.get_running_loop()
        stdout, stderr = Recorder(loop), Recorder(loop)
        outcome = await (processes or LocalProcesses()).start(
            ["/bin/sh", "-c", script],
            directory=str(tmp_path),
            environment={"PATH": "/usr/bin:/bin"} | dict(environment or {}),
            on_stdout=stdout,
            on_stderr=stderr,
        )
        return outcome.unwrap(), stdout, stderr

    return started
