"""Several people on one server: claimed on its console, joined by invitation, apart by default."""

import re
from pathlib import Path

import httpx2
import pytest

from tests.e2e.kandev import Installation
from tests.e2e.test_serve_command import served
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

PASSWORD = "correct horse battery staple"
PAGE = {"sec-fetch-site": "same-origin"}


@requirement("account:claim")
@requirement("account:command")
@requirement("account:shown-once")
async def test_the_code_on_the_console_makes_the_first_account_who_invites_others(
    tmp_path: Path,
) -> None:
    installation = Installation(tmp_path / "home")
    async with served(installation) as server:
        [code] = re.findall(r"kdc_[\w-]{43}", "".join(server.said))
        url = next(word for word in server.said[-1].split() if word.startswith("http"))
        words = ("user", "claim", code, "--email", "olga@example.org", "--name", "Olga")
        claimed = await installation.command(*words, told=f"{PASSWORD}\n")
        again = await installation.command(*words, told=f"{PASSWORD}\n")
        _, invitation, _ = await installation.command("user", "invite")
        async with (
            httpx2.AsyncClient(base_url=url, headers=PAGE) as olga,
            httpx2.AsyncClient(base_url=url, headers=PAGE) as mia,
        ):
            signed_in = await olga.post(
                "/api/v1/auth/login", json={"email": "olga@example.org", "password": PASSWORD}
            )
            body = {"email": "mia@example.org", "name": "Mia", "password": PASSWORD}
            joined = await mia.post(
                "/api/v1/auth/invites/accept", json={**body, "invitation": invitation.strip()}
            )
            made = await olga.post("/api/v1/workspaces", json={"name": "Shop"})
            seen = [(await each.get("/api/v1/workspaces")).json() for each in (olga, mia)]
        _, listed, _ = await installation.command("user", "list")
    log = b"".join(each.read_bytes() for each in (installation.home / "logs").glob("*.log"))

    assert claimed == (0, "owner  admin  olga@example.org  Olga\n", "")
    assert (again[0], "claim_refused" in again[2]) == (1, True)
    assert [each.status_code for each in (signed_in, joined, made)] == [200, 201, 201]
    assert [[each["name"] for each in page] for page in seen] == [["Shop"], []]
    assert [each.split("  ")[1:] for each in listed.splitlines()] == [
        ["admin", "olga@example.org", "Olga"],
        ["member", "mia@example.org", "Mia"],
    ]
    for secret in (code, PASSWORD, invitation.strip()):
        assert secret.encode() not in log
