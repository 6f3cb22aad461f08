"""What the server finds when it examines its installation."""

from datetime import timedelta
from pathlib import Path

import pytest

from composition.health import FRESH_SECONDS, ServerExamination, examine_all
from composition.settings import Settings
from domain.checkup import Level, worst
from tests.adapters.http.conftest import Web
from tests.adapters.http.test_accounts import AUTH, INVITES, MEMBER, OWNER, browsing, code_of
from tests.fakes.clock import ManualClock
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, requirement("rest:system-health")]

PATH = "/api/v1/system/health"


async def test_it_finds_what_the_doctor_finds_with_a_fix_for_what_is_wrong(web: Web) -> None:
    told = await web.ok("GET", PATH)

    settings = web.plane.container.settings()
    codes = [each.code for each in examine_all(settings, web.plane.container.environment())]
    assert [each["code"] for each in told["findings"]] == codes
    assert all(each["fix"] for each in told["findings"] if each["level"] in {"warning", "broken"})


async def test_asked_again_at_once_it_tells_the_same(tmp_path: Path) -> None:
    clock = ManualClock()
    settings = Settings(tmp_path, "127.0.0.1", 0, None, "/usr/bin")
    examination = ServerExamination(settings, {}, clock)
    first = await examination.findings()
    (tmp_path / "kandev.db").write_bytes(b"no database at all" * 100)

    again = await examination.findings()
    clock.advance(timedelta(seconds=FRESH_SECONDS))
    later = await examination.findings()

    assert "no_database" in {each.code for each in first}
    assert again == first
    assert "no_database" not in {each.code for each in later}
    assert worst(later) is Level.BROKEN


@requirement("account:admin")
async def test_it_is_for_who_administers(web: Web) -> None:
    async with browsing(web) as owner, browsing(web) as member:
        await owner.send("POST", f"{AUTH}/setup", {**OWNER, "code": await code_of(web)})
        made = (await owner.send("POST", INVITES, {})).json()
        await member.send("POST", f"{INVITES}/accept", {**MEMBER, "invitation": made["value"]})

        assert await owner.told("GET", PATH) == (200, None)
        assert await member.told("GET", PATH) == (403, "admin_only")
