"""`kandev token`: make, list and revoke the access tokens of other clients."""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from composition.client import Client
from composition.commands.failures import reported
from composition.reach import reach
from composition.settings import read_settings
from domain.access_token import MAX_LIFE_DAYS, MAX_WORKSPACES, Scope

__all__ = ("main",)

PATH = "/api/v1/tokens"
LIFE_DAYS = 30


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev token", description=__doc__)
    verbs = made.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("list", help="id, scopes, end, name and limits of each")
    create = verbs.add_parser("create", help="make one; its text is printed this once")
    create.add_argument("name")
    create.add_argument(
        "--scope",
        choices=[each.value for each in Scope],
        action="append",
        help="what it opens; may be repeated; default: read",
    )
    create.add_argument(
        "--days",
        type=int,
        default=LIFE_DAYS,
        help=f"until it expires, 1 to {MAX_LIFE_DAYS}; default: %(default)s",
    )
    create.add_argument(
        "--workspace",
        metavar="ID",
        action="append",
        help=f"open this one alone; may be repeated, up to {MAX_WORKSPACES} times",
    )
    revoke = verbs.add_parser("revoke", help="end one at once")
    revoke.add_argument("id")
    return made


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    return reported(lambda: asyncio.run(act(chosen)))


async def act(chosen: argparse.Namespace) -> int:
    async with reach(read_settings(os.environ)) as client:
        if chosen.verb == "create":
            made = await client.post(PATH, wanted(chosen))
            sys.stderr.write(line(made["token"]))
            sys.stdout.write(f"{made['value']}\n")
        elif chosen.verb == "revoke":
            await client.delete(f"{PATH}/{quote(chosen.id, safe='')}")
        else:
            async for each in all_of(client):
                sys.stdout.write(line(each))
    return 0


def wanted(chosen: argparse.Namespace) -> dict[str, Any]:
    scopes = chosen.scope or [Scope.READ.value]
    return {
        "name": chosen.name,
        "scopes": scopes,
        "expires_in_days": chosen.days,
        "workspace_ids": chosen.workspace,
    }


async def all_of(client: Client) -> AsyncIterator[dict[str, Any]]:
    """Every token, by id."""
    after = ""
    while True:
        page = await client.get(f"{PATH}?{urlencode({'after': after})}")
        for token in page:
            yield token
        if not page:
            return
        after = page[-1]["id"]


def line(token: dict[str, Any]) -> str:
    limits = "" if token["workspace_ids"] is None else f"  in {','.join(token['workspace_ids'])}"
    scopes = ",".join(token["scopes"])
    return f"{token['id']}  {scopes}  {token['expires_at']}  {token['name']}{limits}\n"
