"""What agentctl logs: files of its own that are bounded, and a standard error that is, too."""

import json
from pathlib import Path

import pytest

from adapters.agentctl.process import MAX_LOG_BYTES
from domain.log_retention import ACTIVE_NAME
from tests.e2e.kandev import Installation
from tests.e2e.test_conversation import begin
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]


@requirement("sinks:agentctl")
@pytest.mark.parametrize("more", [0, 1])
async def test_agentctl_logs_to_files_of_its_own(
    installation: Installation, checkout: Path, more: int
) -> None:
    errors = installation.home / "logs" / "agentctl.log"
    errors.parent.mkdir(mode=0o700)
    errors.write_bytes(b"x" * (MAX_LOG_BYTES + more))
    async with installation.server() as driver:
        session = await begin(driver, checkout)
        await driver.stop(session)

    log = installation.home / "logs" / "agentctl" / ACTIVE_NAME
    assert log.stat().st_mode & 0o777 == 0o600
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert [entry["event"] for entry in entries] == ["serving", "ending"]
    assert errors.stat().st_size == (0 if more else MAX_LOG_BYTES)
