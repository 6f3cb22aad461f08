"""`kandev user`: claim the home, list accounts, invite somebody, change what an account may."""

import argparse
import asyncio
import getpass
import os
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from composition.client import Client
from composition.commands.failures import reported
from composition.reach import reach
from composition.settings import read_settings
from domain.account import Role
from domain.invitation import INVITATION_DAYS, MAX_INVITATION_DAYS

__all__ = ("main",)

USERS = "/api/v1/users"
INVITES = "/api/v1/auth/invites"
SETUP = "/api/v1/auth/setup"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev user", description=__doc__)
    verbs = made.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("list", help="id, role, address and name of each account")
    invite = verbs.add_parser("invite", help="make an invitation; its text is printed this once")
    invite.add_argument("--email", help="for this address alone")
    invite.add_argument("--admin", action="store_true", help="the account will administer")
    invite.add_argument(
        "--days",
        type=int,
        default=INVITATION_DAYS,
        help=f"until it expires, 1 to {MAX_INVITATION_DAYS}; default: %(default)s",
    )
    claim = verbs.add_parser("claim", help="make the first account, with the server's code")
    claim.add_argument("code", help="what `kandev serve` shows as long as nobody has an account")
    claim.add_argument("--email", required=True, help="what to sign in with")
    claim.add_argument("--name", required=True)
    role = verbs.add_parser("role", help="make an account an administrator, or a member")
    role.add_argument("id")
    role.add_argument("role", choices=[each.value for each in Role])
    for verb, does in (
        ("disable", "sign it out everywhere and let it act no more; what it has stays"),
        ("enable", "let it act again"),
    ):
        verbs.add_parser(verb, help=does).add_argument("id")
    return made


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    return reported(lambda: asyncio.run(act(chosen)))


async def act(chosen: argparse.Namespace) -> int:
    async with reach(read_settings(os.environ)) as client:
        if chosen.verb == "list":
            async for each in all_of(client):
                sys.stdout.write(line(each))
        elif chosen.verb == "claim":
            sys.stdout.write(line(await client.post(SETUP, claimed(chosen, password()))))
        elif chosen.verb == "invite":
            made = await client.post(INVITES, invitation(chosen))
            sys.stderr.write(
                f"{made['invitation']['id']} until {made['invitation']['expires_at']}\n"
            )
            sys.stdout.write(f"{made['value']}\n")
        else:
            path = f"{USERS}/{quote(chosen.id, safe='')}"
            sys.stdout.write(line(await client.put(path, change(chosen))))
    return 0


def claimed(chosen: argparse.Namespace, secret: str) -> dict[str, Any]:
    return {
        "code": chosen.code,
        "email": chosen.email,
        "name": chosen.name,
        "password": secret,
    }


def password() -> str:
    """Asked for twice at a terminal and not shown; else the first line of the input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    secret = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != secret:
        raise SystemExit("kandev user claim: the two passwords differ")
    return secret


def invitation(chosen: argparse.Namespace) -> dict[str, Any]:
    role = Role.ADMIN if chosen.admin else Role.MEMBER
    return {"email": chosen.email, "role": role.value, "expires_in_days": chosen.days}


def change(chosen: argparse.Namespace) -> dict[str, Any]:
    if chosen.verb == "role":
        return {"role": chosen.role}
    return {"active": chosen.verb == "enable"}


async def all_of(client: Client) -> AsyncIterator[dict[str, Any]]:
    """Every account, by id."""
    after = ""
    while True:
        page = await client.get(f"{USERS}?{urlencode({'after': after})}")
        for account in page:
            yield account
        if not page:
            return
        after = page[-1]["id"]


def line(account: dict[str, Any]) -> str:
    role = account["role"] if account["active"] else f"{account['role']}, disabled"
    return f"{account['id']}  {role}  {account['email']}  {account['name']}\n"
