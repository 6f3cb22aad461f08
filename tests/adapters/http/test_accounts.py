"""Accounts over REST: the first one, signing in, invitations, and who administers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import httpx2
import pytest

from domain.access_token import AccessToken, Scope, digest, spell
from domain.attempts import BY_ACCOUNT, BY_ADDRESS, WINDOW_SECONDS
from domain.identity import TokenId, UserId
from domain.sign_in import SIGN_IN_LIFE
from tests.adapters.http.conftest import ORIGIN, Json, Web
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AUTH, USERS, INVITES = "/api/v1/auth", "/api/v1/users", "/api/v1/auth/invites"
PASSWORD = "correct horse battery staple"
OWNER = {"email": "Owner@Example.org", "password": PASSWORD, "name": "Olga"}
MEMBER = {"email": "mia@example.org", "password": PASSWORD, "name": "Mia"}
COOKIE = "kandev_session_38429"


@dataclass
class Browser:
    """A client without a token, with the cookies that it was given, as a page of the server."""

    client: httpx2.AsyncClient
    cookies: dict[str, str] = field(default_factory=dict)

    async def send(
        self, method: str, path: str, body: Json = None, **headers: str
    ) -> httpx2.Response:
        given = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {"sec-fetch-site": "same-origin", "cookie": given, **headers}
        answer = await self.client.request(
            method, path, json=body, headers={name: value for name, value in sent.items() if value}
        )
        for each in answer.headers.get_list("set-cookie"):
            name, _, value = each.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer

    async def told(self, method: str, path: str, body: Json = None, **headers: str) -> object:
        """Status, and the code of a problem."""
        answer = await self.send(method, path, body, **headers)
        code = answer.json().get("code") if answer.status_code >= 400 else None
        return answer.status_code, code


@asynccontextmanager
async def browsing(web: Web) -> AsyncIterator[Browser]:
    async with web.other() as client:
        yield Browser(client)


async def code_of(web: Web) -> str:
    code = await web.plane.api.claim.offer()
    assert code is not None
    return code.reveal()


@pytest.fixture
async def owner(web: Web) -> AsyncIterator[Browser]:
    """The browser that claimed the home."""
    async with browsing(web) as browser:
        claimed = await browser.send("POST", f"{AUTH}/setup", {**OWNER, "code": await code_of(web)})
        assert claimed.status_code == 201
        yield browser


@pytest.fixture
async def member(web: Web, owner: Browser) -> AsyncIterator[Browser]:
    """The browser of somebody who was invited."""
    made = await owner.send("POST", INVITES, {})
    async with browsing(web) as browser:
        body = {**MEMBER, "invitation": made.json()["value"]}
        accepted = await browser.send("POST", f"{INVITES}/accept", body)
        assert accepted.status_code == 201
        yield browser


@requirement("account:claim")
async def test_the_code_makes_the_first_account_once(web: Web) -> None:
    await web.workspace()
    code = await code_of(web)
    async with browsing(web) as first, browsing(web) as second:
        wrong = await second.told("POST", f"{AUTH}/setup", {**OWNER, "code": "kdc_" + "A" * 43})
        both = await asyncio.gather(
            first.send("POST", f"{AUTH}/setup", {**OWNER, "code": code}),
            second.send("POST", f"{AUTH}/setup", {**MEMBER, "code": code}),
        )
        again = await second.told("POST", f"{AUTH}/setup", {**OWNER, "code": code})
        listed = [await each.send("GET", "/api/v1/workspaces") for each in (first, second)]

    assert wrong == again == (403, "claim_refused")
    assert sorted(each.status_code for each in both) == [201, 403]
    made = next(each.json() for each in both if each.status_code == 201)
    assert (made["id"], made["role"]) == ("owner", "admin")
    assert sorted(each.status_code for each in listed) == [200, 401]
    assert await web.plane.api.claim.offer() is None


@requirement("account:claim")
async def test_a_code_that_was_replaced_is_good_no_more(web: Web) -> None:
    old, new = await code_of(web), await code_of(web)
    async with browsing(web) as browser:
        refused = await browser.told("POST", f"{AUTH}/setup", {**OWNER, "code": old})
        short = await browser.told(
            "POST", f"{AUTH}/setup", {**OWNER, "password": "short", "code": new}
        )
        taken = await browser.told("POST", f"{AUTH}/setup", {**OWNER, "code": new})

    assert refused == (403, "claim_refused")
    assert short == (400, "invalid_password")
    assert taken == (201, None)


@requirement("account:cookie")
async def test_the_cookie_is_for_pages_of_this_server_alone(web: Web, owner: Browser) -> None:
    signed_in = await owner.send("POST", f"{AUTH}/login", OWNER | {"name": None})
    assert signed_in.status_code == 400
    credentials = {key: OWNER[key] for key in ("email", "password")}
    signed_in = await owner.send("POST", f"{AUTH}/login", credentials)

    [shown] = signed_in.headers.get_list("set-cookie")
    name, _, value = shown.partition(";")[0].partition("=")
    attributes = {each.strip().lower() for each in shown.split(";")[1:]}
    assert name == COOKIE
    assert {"httponly", "samesite=strict", "path=/"} <= attributes
    assert "domain" not in shown.lower()
    assert value not in signed_in.text

    body = {"name": "Shop"}
    ways = {
        "bare": await owner.told("POST", "/api/v1/workspaces", body, **{"sec-fetch-site": ""}),
        "cross": await owner.told(
            "POST", "/api/v1/workspaces", body, **{"sec-fetch-site": "cross-site"}
        ),
        "foreign": await owner.told(
            "POST", "/api/v1/workspaces", body, origin="https://evil.example"
        ),
        "ours": await owner.told("POST", "/api/v1/workspaces", body),
        "origin": await owner.told(
            "POST", "/api/v1/workspaces", body, **{"sec-fetch-site": "", "origin": ORIGIN}
        ),
        "reading": await owner.told("GET", "/api/v1/workspaces", **{"sec-fetch-site": ""}),
    }
    assert ways == {
        "bare": (403, "cross_site"),
        "cross": (403, "cross_site"),
        "foreign": (403, "foreign_origin"),
        "ours": (201, None),
        "origin": (201, None),
        "reading": (200, None),
    }


@requirement("account:cookie")
async def test_a_token_counts_before_a_cookie(owner: Browser) -> None:
    wrong = await owner.told("GET", "/api/v1/workspaces", authorization="Bearer wrong")

    assert wrong == (401, "unauthorized")


@requirement("account:sign-in")
async def test_whatever_is_wrong_the_answer_is_the_same(
    web: Web, owner: Browser, member: Browser
) -> None:
    me = (await member.send("GET", f"{AUTH}/me")).json()
    assert await owner.told("PUT", f"{USERS}/{me['id']}", {"active": False}) == (200, None)
    tried = [
        {"email": "nobody@example.org", "password": PASSWORD},
        {"email": "owner@example.org", "password": PASSWORD + "r"},
        {"email": MEMBER["email"], "password": PASSWORD},
        {"email": "no address", "password": PASSWORD},
        {"email": "owner@example.org", "password": ""},
    ]
    async with browsing(web) as browser:
        answers = [await browser.send("POST", f"{AUTH}/login", each) for each in tried]

    assert {(each.status_code, each.text) for each in answers} == {(401, answers[0].text)}
    assert answers[0].json()["code"] == "sign_in_refused"
    assert not browser.cookies


@requirement("account:limit")
async def test_after_too_many_attempts_the_right_password_waits_too(
    web: Web, owner: Browser
) -> None:
    right = {"email": OWNER["email"], "password": PASSWORD}
    async with browsing(web) as browser:
        for _ in range(BY_ACCOUNT):
            assert await browser.told("POST", f"{AUTH}/login", {**right, "password": "x"}) == (
                401,
                "sign_in_refused",
            )
        refused = await browser.send("POST", f"{AUTH}/login", right)
        web.plane.clock.advance(timedelta(seconds=WINDOW_SECONDS))
        taken = await browser.told("POST", f"{AUTH}/login", right)

    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_attempts")
    assert int(refused.headers["retry-after"]) == WINDOW_SECONDS
    assert taken == (200, None)


@requirement("account:limit")
async def test_invitations_and_codes_cannot_be_guessed_without_end(web: Web) -> None:
    async with browsing(web) as browser:
        for number in range(BY_ADDRESS):
            body = {"invitation": f"kdi_{number:043}"}
            assert await browser.told("POST", f"{INVITES}/preview", body) == (
                404,
                "invitation_not_found",
            )
        body = {**OWNER, "code": await code_of(web)}
        assert await browser.told("POST", f"{AUTH}/setup", body) == (429, "too_many_attempts")


@requirement("account:signed-in")
async def test_a_sign_in_is_listed_and_ended(web: Web, owner: Browser) -> None:
    async with browsing(web) as other:
        credentials = {key: OWNER[key] for key in ("email", "password")}
        await other.send("POST", f"{AUTH}/login", credentials, **{"user-agent": "Other"})
        listed = (await owner.send("GET", f"{AUTH}/sessions")).json()
        [there] = [each for each in listed if not each["current"]]
        assert there["agent"] == "Other"
        assert await owner.told("DELETE", f"{AUTH}/sessions/{there['id']}") == (204, None)
        assert await owner.told("DELETE", f"{AUTH}/sessions/{there['id']}") == (
            404,
            "session_not_found",
        )
        assert await other.told("GET", f"{AUTH}/me") == (401, "unauthorized")
    kept = dict(owner.cookies)
    assert await owner.told("POST", f"{AUTH}/logout") == (204, None)
    owner.cookies = kept
    assert await owner.told("GET", f"{AUTH}/me") == (401, "unauthorized")


@requirement("account:signed-in")
async def test_a_sign_in_lasts_while_it_is_used(web: Web, owner: Browser) -> None:
    for _ in range(3):
        web.plane.clock.advance(SIGN_IN_LIFE - timedelta(seconds=1))
        assert await owner.told("GET", f"{AUTH}/me") == (200, None)
    web.plane.clock.advance(SIGN_IN_LIFE)
    assert await owner.told("GET", f"{AUTH}/me") == (401, "unauthorized")


@requirement("account:password")
async def test_another_password_ends_every_other_sign_in(web: Web, owner: Browser) -> None:
    credentials = {key: OWNER[key] for key in ("email", "password")}
    new = "another horse entirely"
    async with browsing(web) as other:
        await other.send("POST", f"{AUTH}/login", credentials)
        wrong = await owner.told("PUT", f"{AUTH}/password", {"current": "wrong", "new": new})
        short = await owner.told("PUT", f"{AUTH}/password", {"current": PASSWORD, "new": "short"})
        done = await owner.told("PUT", f"{AUTH}/password", {"current": PASSWORD, "new": new})

        assert (wrong, short) == ((401, "sign_in_refused"), (400, "invalid_password"))
        assert done == (204, None)
        assert await owner.told("GET", f"{AUTH}/me") == (200, None)
        assert await other.told("GET", f"{AUTH}/me") == (401, "unauthorized")
        assert await other.told("POST", f"{AUTH}/login", credentials) == (401, "sign_in_refused")
        right = {**credentials, "password": new}
        assert await other.told("POST", f"{AUTH}/login", right) == (200, None)


@requirement("account:shown-once")
async def test_nothing_that_lets_in_is_stored_or_shown_again(web: Web, owner: Browser) -> None:
    made = (await owner.send("POST", INVITES, {"email": " Mia@example.org"})).json()
    shown = [PASSWORD, made["value"], owner.cookies[COOKIE]]
    async with web.plane.store.read() as state:
        rows = [
            await state.accounts(None, 9),
            await state.kept_password(UserId("owner")),
            await state.sign_ins(UserId("owner")),
            await state.invitations(None, 9),
        ]
    listed = [(await owner.send("GET", path)).text for path in (USERS, INVITES, f"{AUTH}/sessions")]

    redactor = web.plane.api.access_tokens.redactor
    for secret in shown:
        assert secret not in repr(rows) + "".join(listed)
        assert secret not in redactor.redact(f"told: {secret}")
    assert made["invitation"]["email"] == "mia@example.org"


@requirement("account:invitation")
async def test_of_two_who_take_an_invitation_one_has_it(web: Web, owner: Browser) -> None:
    made = (await owner.send("POST", INVITES, {"role": "admin"})).json()
    async with browsing(web) as first, browsing(web) as second:
        seen = await first.send("POST", f"{INVITES}/preview", {"invitation": made["value"]})
        both = await asyncio.gather(
            *(
                each.send(
                    "POST",
                    f"{INVITES}/accept",
                    {**MEMBER, "email": f"{number}@example.org", "invitation": made["value"]},
                )
                for number, each in enumerate((first, second))
            )
        )
        after = await first.told("POST", f"{INVITES}/preview", {"invitation": made["value"]})

    assert (seen.status_code, seen.json()["role"]) == (200, "admin")
    assert sorted(each.status_code for each in both) == [201, 404]
    assert after == (404, "invitation_not_found")
    assert (await owner.send("GET", INVITES)).json() == []


@requirement("account:invitation")
async def test_an_invitation_that_is_not_good_looks_like_none(web: Web, owner: Browser) -> None:
    async def invited(**fields: object) -> Json:
        return (await owner.send("POST", INVITES, fields)).json()

    revoked, late, addressed = (
        await invited(),
        await invited(expires_in_days=1),
        await invited(email="somebody@example.org"),
    )
    key = revoked["invitation"]["id"]
    assert await owner.told("DELETE", f"{INVITES}/{key}") == (204, None)
    assert await owner.told("DELETE", f"{INVITES}/{key}") == (404, "invitation_not_found")
    web.plane.clock.advance(timedelta(days=1))
    texts = [each["value"] for each in (revoked, late, addressed)] + ["kdi_" + "A" * 43]
    async with browsing(web) as browser:
        answers = [
            await browser.send("POST", f"{INVITES}/accept", {**MEMBER, "invitation": each})
            for each in texts
        ]
        theirs = {**MEMBER, "email": "somebody@example.org", "invitation": addressed["value"]}
        taken = await browser.told("POST", f"{INVITES}/accept", theirs)

    assert {(each.status_code, each.text) for each in answers} == {(404, answers[0].text)}
    assert taken == (201, None)


@requirement("account:address")
async def test_an_address_has_one_account(web: Web, owner: Browser) -> None:
    made = (await owner.send("POST", INVITES, {})).json()
    async with browsing(web) as browser:
        body = {**MEMBER, "email": " OWNER@example.org", "invitation": made["value"]}
        assert await browser.told("POST", f"{INVITES}/accept", body) == (409, "email_taken")
        assert await browser.told("POST", f"{INVITES}/accept", {**body, "email": "x"}) == (
            400,
            "invalid_email",
        )
        body = {**MEMBER, "invitation": made["value"]}
        assert await browser.told("POST", f"{INVITES}/accept", body) == (201, None)


@requirement("account:admin")
async def test_accounts_and_invitations_are_for_administrators(
    web: Web, owner: Browser, member: Browser
) -> None:
    ways = [
        ("GET", USERS, None),
        ("PUT", f"{USERS}/owner", {"active": False}),
        ("PUT", f"{USERS}/nobody", {"active": False}),
        ("GET", INVITES, None),
        ("POST", INVITES, {}),
        ("DELETE", f"{INVITES}/inv", None),
    ]
    made = await owner.send(
        "POST", "/api/v1/tokens", {"name": "ci", "scopes": ["read", "write"], "expires_in_days": 1}
    )
    headers = {"authorization": f"Bearer {made.json()['value']}"}
    async with browsing(web) as nobody:
        for method, path, body in ways:
            assert await member.told(method, path, body) == (403, "admin_only"), path
            assert await nobody.told(method, path, body) == (401, "unauthorized"), path
            by_token = await web.client.request(method, path, json=body, headers=headers)
            assert (by_token.status_code, by_token.json()["code"]) == (403, "admin_only"), path

    assert [each["id"] for each in await web.ok("GET", USERS)] == [
        each["id"] for each in (await owner.send("GET", USERS)).json()
    ]
    assert await owner.told("PUT", f"{USERS}/nobody", {"role": "admin"}) == (404, "user_not_found")


@requirement("account:admin")
@requirement("workspace:foreign")
async def test_who_administers_sees_nobodys_data(owner: Browser, member: Browser) -> None:
    made = (await member.send("POST", "/api/v1/workspaces", {"name": "Mine"})).json()

    assert await owner.told("GET", f"/api/v1/workspaces/{made['id']}") == (
        404,
        "workspace_not_found",
    )
    assert (await owner.send("GET", "/api/v1/workspaces")).json() == []


@requirement("account:last-admin")
async def test_the_last_administrator_stays(owner: Browser, member: Browser) -> None:
    me = (await member.send("GET", f"{AUTH}/me")).json()["id"]
    for change in ({"role": "member"}, {"active": False}):
        assert await owner.told("PUT", f"{USERS}/owner", change) == (409, "last_admin")
    assert await owner.told("PUT", f"{USERS}/{me}", {"role": "admin"}) == (200, None)
    assert await member.told("PUT", f"{USERS}/owner", {"role": "member"}) == (200, None)
    assert await owner.told("GET", USERS) == (403, "admin_only")


@requirement("account:disabled")
async def test_an_account_that_is_disabled_opens_nothing(
    web: Web, owner: Browser, member: Browser
) -> None:
    me = (await member.send("GET", f"{AUTH}/me")).json()["id"]
    made = await member.send(
        "POST", "/api/v1/tokens", {"name": "ci", "scopes": ["read"], "expires_in_days": 1}
    )
    headers = {"authorization": f"Bearer {made.json()['value']}"}
    late = spell(b"l" * 32).reveal()
    now = web.plane.clock.now()
    key = TokenId(made.json()["token"]["id"])
    with web.plane.api.revocations.heard(key) as over:
        assert await owner.told("PUT", f"{USERS}/{me}", {"active": False}) == (200, None)
        assert over.is_set()
    async with web.plane.store.write() as unit:
        await unit.add_access_token(
            AccessToken(
                TokenId("tok_late"),
                UserId(me),
                "late",
                digest(late) or "",
                frozenset(Scope),
                now,
                now + timedelta(days=1),
            )
        )

    assert await member.told("GET", f"{AUTH}/me") == (401, "unauthorized")
    for shown in (headers, {"authorization": f"Bearer {late}"}):
        assert (await web.client.get("/api/v1/workspaces", headers=shown)).status_code == 401
    assert await owner.told("PUT", f"{USERS}/{me}", {"active": True}) == (200, None)
    assert await member.told("GET", f"{AUTH}/me") == (401, "unauthorized")
    credentials = {key: MEMBER[key] for key in ("email", "password")}
    assert await member.told("POST", f"{AUTH}/login", credentials) == (200, None)


@requirement("account:signed-in")
async def test_a_token_is_not_signed_in_anywhere(web: Web) -> None:
    assert await web.refused("GET", f"{AUTH}/me") == (404, "account_not_found")
    assert await web.refused("GET", f"{AUTH}/sessions") == (404, "session_not_found")
    assert await web.refused("POST", f"{AUTH}/logout") == (404, "session_not_found")
    body = {"current": PASSWORD, "new": PASSWORD}
    assert await web.refused("PUT", f"{AUTH}/password", body) == (404, "account_not_found")
